// SPDX-License-Identifier: Apache-2.0
#include "training/work/run_targets.h"

#include "training/parameters/parameter_keys.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <system_error>

namespace sparserl {

namespace {

constexpr std::int64_t fewestColumns = 2, mostColumns = 1024; // as dense_columns

Task taskOf(const ParameterSet& parameters)
{
    return taskFromName(parameters[param::task]).value_or(Task::SpMV); // "both" begins with SpMV
}

Result<std::vector<std::int64_t>> columnsOf(const ParameterSet& parameters)
{
    std::vector<std::int64_t> all{parameters[param::denseColumns]};
    if (!parameters.has(param::moreColumns.key))
        return all;
    const std::string& text = parameters[param::moreColumns];
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::int64_t columns = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, columns);
        if (error != std::errc{} || rest != text.data() + end || columns < fewestColumns ||
            columns > mostColumns)
            return fail(fmt::format("{} is \"{}\", which is not a list of numbers of columns from {} to {}",
                                    param::moreColumns.key, text, fewestColumns, mostColumns),
                        "Write whole numbers separated by commas, such as 16,32");
        if (std::find(all.begin(), all.end(), columns) == all.end())
            all.push_back(columns);
        at = end + 1;
    }
    return all;
}

} // namespace

Result<std::vector<TargetVariant>> variantsOf(const ParameterSet& parameters)
{
    const ElementType type = elementTypeOf(parameters);
    std::vector<TargetVariant> variants;
    if (taskOf(parameters) == Task::SpMV)
        variants.push_back(TargetVariant::of(Task::SpMV, 1, type));
    if (parameters[param::task] != nameOf(Task::SpMV)) {
        SPARSERL_TRY(const auto columns, columnsOf(parameters));
        for (const std::int64_t count : columns)
            variants.push_back(TargetVariant::of(Task::SpMM, count, type));
    }
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
