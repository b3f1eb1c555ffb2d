// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/target_cases.h"
#include "evaluation/runners/oracle_process.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace sparserl {

/// The oracle of a judge, for one thread at a time. Its process starts with the first use.
struct SharedOracle
{
    explicit SharedOracle(OracleOptions options)
        : process(std::move(options))
    {
    }
    std::mutex mutex;
    OracleProcess process;
};

/// The cases for targets of the kind Operator, on the simulated device. There is no battery, because no small
/// target suits every operator: a program runs at the other sizes of its task instead. There is no baseline.
class OperatorKind : public KindCases
{
public:
    /// `maker` must outlive the kind.
    explicit OperatorKind(const CaseMaker& maker);

    std::string digestOf(const TargetId& id) const override { return id.key(); }
    Result<std::unique_ptr<TargetCases>> make(const Target& target) override;
    Result<CasePlan> battery(const TargetVariant&, FactorUse) override { return CasePlan(); }
    ReferenceProgram reference(const TargetVariant&) const override { return {}; }

private:
    const CaseMaker& m_maker;
    SharedOracle m_oracle;
};

} // namespace sparserl
