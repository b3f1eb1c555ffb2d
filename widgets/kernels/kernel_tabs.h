// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QTabWidget>
#include <optional>

namespace sparserl {

class CompileLogView;
class EvidenceView;
class FindingsView;
class LineageView;
class ProfileView;
class ProjectSession;
class RelativesView;
class RooflineView;
class SharedMemoryView;
class TokensView;

/// The tabs with details of a program, below its code: profile, findings, roofline, speed against shared
/// memory, relatives, lineage, tokens, log, evidence.
class KernelTabs : public QTabWidget
{
    Q_OBJECT

public:
    explicit KernelTabs(QWidget* parent = nullptr);
    void setSession(ProjectSession* session);
    void show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record, bool countedLater,
              const std::vector<LineageRow>& lineage);
    /// Shows profile, findings and roofline, compared with `baseline`. `nnz`: non-zeros of the matrix; 0:
    /// unknown yet, -1: the matrix is not in the library.
    void compare(const std::optional<VerdictRecord>& record, const std::optional<VerdictRecord>& baseline,
                 std::int64_t nnz);
    CompileLogView* log() const { return m_log; }
    ProfileView* profile() const { return m_profile; }
    EvidenceView* evidence() const { return m_evidence; }
    RelativesView* relatives() const { return m_relatives; }
    LineageView* lineage() const { return m_lineage; }
    SharedMemoryView* sharedMemory() const { return m_sharedMemory; }
    TokensView* tokens() const { return m_tokens; }

Q_SIGNALS:
    void compareAsked(const CandidateRow& relative);
    void openAsked(const CandidateRow& relative);
    void lineChosen(int line); ///< A line of the program, counted from 1.

private:
    ProfileView* m_profile;
    FindingsView* m_findings;
    RooflineView* m_roofline;
    SharedMemoryView* m_sharedMemory;
    RelativesView* m_relatives;
    LineageView* m_lineage;
    TokensView* m_tokens;
    CompileLogView* m_log;
    EvidenceView* m_evidence;
};

} // namespace sparserl
