// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/session.h"
#include "widgets/kernels/line_counts.h"
#include "widgets/kernels/program_judge.h"
#include "widgets/kernels/program_ptx.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace sparserl {

class BadgeLabel;
class EvidenceView;
class MessageBar;
class ProfileView;
class FindingsView;
class RooflineView;
class SharedMemoryView;
class SourcePair;
class SourceView;

/// A program that others are compared with.
struct ComparedProgram
{
    CandidateRow candidate;
    std::string text;
    std::optional<VerdictRecord> record;
};

/// One candidate: verdict, source with heat, profile, compile log, evidence, and what can be done with it.
class KernelDetail : public QWidget
{
    Q_OBJECT

public:
    explicit KernelDetail(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    void show(const CandidateRow& candidate);
    void clear();

    SourceView* source() const;
    SharedMemoryView* sharedMemory() const { return m_sharedMemory; }
    SourcePair* sources() const { return m_sources; }
    ProfileView* profile() const { return m_profile; }
    const std::optional<CandidateRow>& candidate() const { return m_candidate; }
    EvidenceView* evidence() const { return m_evidence; }
    QTabWidget* tabs() const { return m_tabs; }

public Q_SLOTS:
    void toggleStar();
    void editNote();
    void verifyAgain();
    void exportKernel();
    /// What is shown becomes the baseline of every program that is shown from now on; the second time, none
    /// is.
    void toggleBaseline();
    /// Opens a copy of the program that can be changed and judged.
    void editCopy();
    void togglePin();
    /// PTX beside the source, or of both programs that are compared.
    void togglePtx();

Q_SIGNALS:
    void problem(const QString& sentence);
    /// The user wants to export what is chosen.
    void exportAsked();
    /// The program got a new verdict, which the index will know in a moment.
    void judgedAgain(const VerdictRecord& record);

private:
    void showRecord();
    void showComparison();
    void showOptions(const QString& problem = {});
    void showCode(bool comparing, const QString& baselineName);
    void annotate(Annotation::Field field, const std::string& value);
    void verified(const VerdictRecord& record);
    void countLines();

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    std::optional<VerdictRecord> m_record;
    std::optional<ComparedProgram> m_baseline;
    std::int64_t m_nnz = 0;      ///< Of the matrix; 0: unknown.
    bool m_aheadOfIndex = false; ///< What is shown was verified just now; the index does not know it yet.
    std::string m_text;
    std::map<std::string, ParameterValue> m_settings; ///< Of its run.
    QString m_counting;                               ///< Why there are no counters per line.
    bool m_countedLater = false;
    std::string m_verdictBefore; ///< Of what is being verified.
    QStackedWidget* m_stack;
    QLabel *m_title, *m_facts, *m_speedup, *m_failure;
    BadgeLabel* m_badge;
    MessageBar* m_message;
    QToolButton *m_star, *m_note, *m_verify, *m_compare, *m_edit, *m_pin, *m_ptxButton, *m_export;
    QTabWidget* m_tabs;
    SourcePair* m_sources;
    SourceView* m_source; ///< Of `m_sources`.
    ProfileView* m_profile;
    FindingsView* m_findings;
    RooflineView* m_roofline;
    SharedMemoryView* m_sharedMemory;
    QLabel* m_options; ///< What the compiler was called with.
    QPlainTextEdit* m_log;
    EvidenceView* m_evidence;
    JobTracker m_jobs{this};
    ProgramJudge m_judge{this};
    LineCounts m_counts{this};
    ProgramPtx m_ptx{this};
};

} // namespace sparserl
