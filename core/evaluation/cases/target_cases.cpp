// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/target_cases.h"

#include "evaluation/cases/operator_cases.h"
#include "evaluation/cases/sparse_cases.h"

namespace sparserl {

Result<std::unique_ptr<AllCases>> AllCases::make(const JudgeOptions& options)
{
    std::unique_ptr<AllCases> made(new AllCases(options));
    SPARSERL_TRY(auto sparse, SparseKind::make(made->m_maker));
    made->m_small = sparse->small();
    made->m_kinds[TargetKind::Sparse] = std::move(sparse);
    made->m_kinds[TargetKind::Operator] = std::make_unique<OperatorKind>(made->m_maker);
    return made;
}

double floorMicroseconds(const DeviceModel& model, const Workload& work)
{
    const auto bytes = static_cast<double>(work.compulsoryBytes());
    const double gbps = bytes <= static_cast<double>(model.l2Bytes) ? model.l2GBps : model.dramGBps;
    return model.launchMicroseconds + bytes / (1e3 * gbps);
}

} // namespace sparserl
