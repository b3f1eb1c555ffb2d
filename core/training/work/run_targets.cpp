// SPDX-License-Identifier: Apache-2.0
#include "training/work/run_targets.h"

#include "training/parameters/dense_columns.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

namespace {

Task taskOf(const ParameterSet& parameters)
{
    return taskFromName(parameters[param::task]).value_or(Task::SpMV); // "both" begins with SpMV
}

} // namespace

Result<std::vector<TargetVariant>> variantsOf(const ParameterSet& parameters)
{
    const ElementType type = elementTypeOf(parameters);
    std::vector<TargetVariant> variants;
    if (taskOf(parameters) == Task::SpMV)
        variants.push_back(TargetVariant::of(Task::SpMV, 1, type));
    SPARSERL_TRY(const auto columns, denseColumnsOf(parameters));
    for (const std::int64_t count : columns)
        variants.push_back(TargetVariant::of(Task::SpMM, count, type));
    return variants;
}

bool hasSeveralVariants(const ParameterSet& parameters)
{
    const auto variants = variantsOf(parameters);
    return variants && variants->size() > 1;
}

ElementType elementTypeOf(const ParameterSet& parameters)
{
    const bool says = parameters.has(param::elementType.key);
    return says ? elementTypeFromName(parameters[param::elementType]).value_or(ElementType::F32)
                : ElementType::F32;
}

TargetVariant firstVariantOf(const ParameterSet& parameters)
{
    return TargetVariant::of(taskOf(parameters), parameters[param::denseColumns], elementTypeOf(parameters));
}

Result<std::vector<StageTarget>> targetsOfRun(const ParameterSet& parameters,
                                              const std::vector<StageTarget>& matrices)
{
    if (!parameters.has(param::task.key))
        return matrices;
    std::vector<StageTarget> targets;
    SPARSERL_TRY(const auto variants, variantsOf(parameters));
    for (const TargetVariant& variant : variants) {
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
