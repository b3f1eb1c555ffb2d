// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/parameters.h"

namespace sparserl::spmm {

FamilyParameter acrossParameter()
{
    return {"across", "lanes side by side on columns", {2, 1, 4, 8}};
}

FamilyParameter vecParameter(const std::vector<std::int64_t>& values)
{
    return {"vec", "columns per load", values};
}

FamilyParameter lanesParameter()
{
    return {"lanes", "lanes per row; more than across: several entries at once", {8, 2, 4, 16, 32}};
}

FamilyParameter unrollParameter()
{
    return {"unroll", "entries per step of a thread", {4, 1, 2, 8}};
}

FamilyParameter innerUnrollParameter()
{
    return {"unroll", "entries per step of the inner loop", {4, 1, 2, 8}};
}

FamilyParameter batchesParameter()
{
    return {"batch", "0: plain loop; 1: masked batches; 2: batches with prefetch", {0, 1, 2}};
}

} // namespace sparserl::spmm
