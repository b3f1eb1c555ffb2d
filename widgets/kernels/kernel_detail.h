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

/// One candidate: verdict, source with heat, profile, compile log, evidence, and actions.
class KernelDetail : public QWidget
{
    Q_OBJECT

public:
    explicit KernelDetail(QWidget* parent = nullptr);
    QSize minimumSizeHint() const override;
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
    /// Makes the displayed program the baseline for all programs shown later. A second call removes the
    /// baseline.
    void toggleBaseline();
    /// Opens an editable copy of the program.
    void editCopy();
    void togglePin();
    /// Compares the programs shown later with this one.
    void compareWith(const CandidateRow& baseline);
    /// Shows a sentence above the program.
    void tell(const QString& sentence);
    /// Shows PTX beside the source, or for both compared programs.
    void togglePtx();
    /// Shows SASS in the same way.
    void toggleSass();
    /// Shows control codes beside SASS.
    void toggleControls();
    /// Explains the instruction under the cursor.
    void explainInstruction();

Q_SIGNALS:
    void problem(const QString& sentence);
    /// The user requests an export of the selection.
    void exportAsked();
    /// The user adds the selection to the SFT set, or removes it.
    void sftAsked();
    /// Requests another program by hash.
    void openAsked(const QString& hash);
    /// The program has a new verdict, which the index will contain shortly.
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
    std::int64_t m_nnz = 0;            ///< Non-zeros of the matrix; 0: unknown yet, -1: not in the library.
    std::vector<LineageRow> m_lineage; ///< For a search's program; otherwise empty.
    bool m_arrived = false;            ///< Whether text and record belong to the current candidate.
    /// The program was just verified; the index does not contain the verdict yet.
    bool m_aheadOfIndex = false;
    std::string m_text;
    std::map<std::string, ParameterValue> m_settings; ///< Settings of its run.
    QString m_counting;                               ///< Why there are no counters per line.
    bool m_countedLater = false;
    std::string m_verdictBefore; ///< The previous verdict of the program that is being verified.
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
