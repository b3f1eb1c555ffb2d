// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_parameters.h"

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

} // namespace sparserl
