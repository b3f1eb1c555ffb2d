// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/kernel_tabs.h"

#include "verdict/names.h"
#include "widgets/common/tab_menu.h"
#include "widgets/kernels/compile_log_view.h"
#include "widgets/kernels/evidence_view.h"
#include "widgets/kernels/findings_view.h"
#include "widgets/kernels/lineage_view.h"
#include "widgets/kernels/profile_view.h"
#include "widgets/kernels/relatives_view.h"
#include "widgets/kernels/roofline_view.h"
#include "widgets/kernels/shared_memory_view.h"
#include "widgets/kernels/tokens_view.h"

namespace sparserl {

KernelTabs::KernelTabs(QWidget* parent)
    : QTabWidget(parent)
    , m_profile(new ProfileView(this))
    , m_findings(new FindingsView(this))
    , m_roofline(new RooflineView(this))
    , m_sharedMemory(new SharedMemoryView(this))
    , m_relatives(new RelativesView(this))
    , m_lineage(new LineageView(this))
    , m_tokens(new TokensView(this))
    , m_log(new CompileLogView(this))
    , m_evidence(new EvidenceView(this))
{
    setDocumentMode(true);
    addTab(m_profile, tr("Profile"));
    addTab(m_findings, tr("Findings"));
    addTab(m_roofline, tr("Roofline"));
    setTabToolTip(addTab(m_sharedMemory, tr("Memory")),
                  tr("Speed against shared memory, for the listed programs for this matrix"));
    setTabToolTip(addTab(m_relatives, tr("Relatives")), tr("The programs most similar to this one"));
    setTabToolTip(addTab(m_lineage, tr("Lineage")), tr("How a search got from the corpus to its record"));
    setTabToolTip(addTab(m_tokens, tr("Tokens")), tr("How likely a policy finds each token of the program"));
    setTabToolTip(addTab(m_log, tr("Log")), tr("The compiler's options and messages"));
    addTab(m_evidence, tr("Evidence"));
    listTabsThatDoNotFit(this);
    connect(m_relatives, &RelativesView::compareAsked, this, &KernelTabs::compareAsked);
    connect(m_relatives, &RelativesView::openAsked, this, &KernelTabs::openAsked);
    connect(m_lineage, &LineageView::openAsked, this, &KernelTabs::openAsked);
    connect(m_findings, &FindingsView::lineChosen, this, &KernelTabs::lineChosen);
}

void KernelTabs::setSession(ProjectSession* session)
{
    m_sharedMemory->setSession(session);
    m_relatives->setSession(session);
    m_lineage->setSession(session);
    m_tokens->setSession(session);
}

void KernelTabs::show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record,
                      bool countedLater, const std::vector<LineageRow>& lineage)
{
    // Only a search's programs have a lineage. The other tabs fit into the page without it.
    setTabVisible(indexOf(m_lineage), candidate.origin == sample_origin::search);
    m_log->setRecord(record);
    m_evidence->show(candidate, record, countedLater, lineage);
    m_sharedMemory->setProgram(candidate);
    m_relatives->show(candidate);
    m_lineage->show(candidate);
    m_tokens->show(candidate);
}

void KernelTabs::compare(const std::optional<VerdictRecord>& record,
                         const std::optional<VerdictRecord>& baseline, std::int64_t nnz)
{
    m_profile->show(record, baseline);
    const int findings = m_findings->show(record);
    setTabText(indexOf(m_findings), findings > 0 ? tr("Findings (%1)").arg(findings) : tr("Findings"));
    m_roofline->show(record, baseline, nnz);
}

} // namespace sparserl
