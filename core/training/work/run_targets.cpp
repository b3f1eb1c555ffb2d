// SPDX-License-Identifier: Apache-2.0
#include "training/work/run_targets.h"

#include "training/parameters/parameter_keys.h"

namespace sparserl {

bool isOfBothTasks(const ParameterSet& parameters)
{
    return parameters[param::task] == "both";
}

std::vector<TargetVariant> variantsOf(const ParameterSet& parameters)
{
    const std::int64_t columns = parameters[param::denseColumns];
    const ElementType type = elementTypeOf(parameters);
    if (isOfBothTasks(parameters))
        return {TargetVariant::of(Task::SpMV, columns, type), TargetVariant::of(Task::SpMM, columns, type)};
    return {TargetVariant::of(taskFromName(parameters[param::task]).value_or(Task::SpMV), columns, type)};
}

ElementType elementTypeOf(const ParameterSet& parameters)
{
    const bool says = parameters.has(param::elementType.key);
    return says ? elementTypeFromName(parameters[param::elementType]).value_or(ElementType::F32)
                : ElementType::F32;
}

TargetVariant firstVariantOf(const ParameterSet& parameters)
{
    return variantsOf(parameters).front();
}

std::vector<StageTarget> targetsOfRun(const ParameterSet& parameters,
                                      const std::vector<StageTarget>& matrices)
{
    if (!parameters.has(param::task.key))
        return matrices;
    std::vector<StageTarget> targets;
    for (const TargetVariant& variant : variantsOf(parameters)) {
        for (StageTarget target : matrices) {
            target.target.id.variant = variant;
            if (variant.type != ElementType::F32)
                target.target.id.values = doublesDigest(*target.target.matrix);
            if (targets.size() >= matrices.size())
                target.warnings.clear(); // told once
            targets.push_back(std::move(target));
        }
    }
    return targets;
}

} // namespace sparserl
