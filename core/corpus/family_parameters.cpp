// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_parameters.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

FamilyParameter blockParameter()
{
    return {"block", "threads per block", {128, 64, 256, 512}};
}

FamilyParameter streamParameter()
{
    return {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};
}

FamilyParameter narrowParameter(const std::string& format)
{
    return {"index16",
            fmt::format("1: columns as 16-bit offsets from the row's first one (format {})", format),
            {0, 1}};
}

FamilyParameter batchParameter(std::int64_t first)
{
    FamilyParameter parameter = {
        "batch", "entries whose loads are in flight together, predicated; 1: a plain loop", {first}};
    for (std::int64_t value : {1, 2, 4, 8}) {
        if (value != first)
            parameter.values.push_back(value);
    }
    return parameter;
}

Result<FamilyParameters> completeParameters(const Family& family, const FamilyParameters& parameters)
{
    FamilyParameters complete;
    for (const FamilyParameter& parameter : family.parameters)
        complete[parameter.name] = parameter.values.front();
    for (const auto& [name, value] : parameters) {
        const auto declared = std::find_if(family.parameters.begin(), family.parameters.end(),
                                           [&key = name](const FamilyParameter& p) { return p.name == key; });
        if (declared == family.parameters.end())
            return fail(fmt::format("family {} has no parameter '{}'", family.id, name));
        if (std::find(declared->values.begin(), declared->values.end(), value) == declared->values.end())
            return fail(fmt::format("family {}: {} = {} is not possible", family.id, name, value),
                        fmt::format("choose one of {}", fmt::join(declared->values, ", ")));
        complete[name] = value;
    }
    return complete;
}

} // namespace sparserl
