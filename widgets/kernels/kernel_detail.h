// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"
#include "widgets/kernels/compared_program.h"
#include "widgets/kernels/line_counts.h"
#include "widgets/kernels/program_judge.h"

#include <QWidget>
#include <optional>

class QStackedWidget;

namespace sparserl {

class CodePane;
class KernelHeader;
class KernelTabs;
class MessageBar;
class SourcePair;
class SourceView;

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
    SourcePair* sources() const;
    const std::optional<CandidateRow>& candidate() const { return m_candidate; }
    KernelTabs* tabs() const { return m_tabs; }
    CodePane* code() const { return m_code; }

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
    /// What is shown from now on is compared with this one.
    void compareWith(const CandidateRow& baseline);
    /// A sentence above the program.
    void tell(const QString& sentence);
    /// PTX beside the source, or of both programs that are compared.
    void togglePtx();
    /// What a GPU executes of it, in the same way.
    void toggleSass();
    /// Control codes beside it.
    void toggleControls();
    /// What the instruction under the cursor does.
    void explainInstruction();

Q_SIGNALS:
    void problem(const QString& sentence);
    /// The user wants to export what is chosen.
    void exportAsked();
    /// The user wants what is chosen to be learnt from, or not any more.
    void sftAsked();
    /// Another program is to be shown: its hash.
    void openAsked(const QString& hash);
    /// The program got a new verdict, which the index will know in a moment.
    void judgedAgain(const VerdictRecord& record);

private:
    void connectActions();
    void enableActions();
    void showRecord();
    void showComparison();
    void showOptions(const QString& problem = {});
    void annotate(Annotation::Field field, const std::string& value);
    void verified(const VerdictRecord& record);
    void countLines();

    ProjectSession* m_session = nullptr;
    std::optional<CandidateRow> m_candidate;
    std::optional<VerdictRecord> m_record;
    std::optional<ComparedProgram> m_baseline;
    std::int64_t m_nnz = 0;            ///< Of the matrix; 0: not known yet, -1: it is not in the library.
    std::vector<LineageRow> m_lineage; ///< Of a search's program; else empty.
    bool m_arrived = false;            ///< Text and record are the candidate's, not of the one shown before.
    bool m_aheadOfIndex = false; ///< What is shown was verified just now; the index does not know it yet.
    std::string m_text;
    std::map<std::string, ParameterValue> m_settings; ///< Of its run.
    QString m_counting;                               ///< Why there are no counters per line.
    bool m_countedLater = false;
    std::string m_verdictBefore; ///< Of what is being verified.
    QStackedWidget* m_stack;
    KernelHeader* m_header;
    MessageBar* m_message;
    CodePane* m_code;
    KernelTabs* m_tabs;
    JobTracker m_jobs{this}, m_baselineJobs{this};
    ProgramJudge m_judge{this, tr("Verification")};
    LineCounts m_counts{this};
};

} // namespace sparserl
