// SPDX-License-Identifier: Apache-2.0
#include "corpus/operators/family_makers.h"
#include "corpus/operators/one_call.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

std::optional<std::string> writeScan(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->op != "cumsum" || call->operands.size() != 1 || call->operands[0].shape.size() != 2 ||
        call->arguments.size() != 2 || call->arguments[1] != GraphArgument{std::int64_t(1)})
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  WARPS = {1}
//! launch scan<<<ceil_div({0}.dim(0), WARPS), dim3(32, WARPS)>>>({0}, out, {0}.dim(0), {0}.dim(1))
extern "C" __global__ void scan(const float* __restrict__ x, float* __restrict__ y, int rows, int columns)
{{
    const int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows)
        return;
    float before = 0;
    for (int start = 0; start < columns; start += 32) {{
        const int i = start + threadIdx.x;
        float sum = i < columns ? x[row * columns + i] : 0;
        for (int step = 1; step < 32; step *= 2) {{
            const float other = __shfl_up_sync(0xffffffff, sum, step);
            if (threadIdx.x >= step)
                sum += other;
        }}
        if (i < columns)
            y[row * columns + i] = before + sum;
        before += __shfl_sync(0xffffffff, sum, 31);
    }}
}}
)",
                       call->operands[0].name, parameters.at("warps"));
}

OperatorGraph deriveScan(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return oneCallGraph(op, "", {{rows, columns}}, {GraphArgument{std::int64_t(1)}}, {rows, columns});
}

} // namespace

OperatorFamily scanFamily()
{
    return {"E7", "scan", {{"warps", {1, 2, 4}}}, {"cumsum"}, writeScan, deriveScan};
}

} // namespace sparserl
