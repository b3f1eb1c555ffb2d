// SPDX-License-Identifier: Apache-2.0
#include "corpus/operators/family_makers.h"
#include "corpus/operators/one_call.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

std::optional<std::string> writeProduct(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->op != "mv" || call->operands.size() != 2)
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  LANES = {2}
//! const  ROWS = {3}
//! launch product<<<ceil_div({0}.dim(0), ROWS), dim3(LANES, ROWS)>>>({0}, {1}, out, {0}.dim(0), {0}.dim(1))
extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ x,
                                   float* __restrict__ y, int rows, int columns)
{{
    __shared__ float parts[ROWS][LANES];
    const int row = blockIdx.x * ROWS + threadIdx.y;
    float sum = 0;
    for (int i = threadIdx.x; row < rows && i < columns; i += LANES)
        sum += a[row * columns + i] * x[i];
    parts[threadIdx.y][threadIdx.x] = sum;
    for (int step = LANES / 2; step > 0; step /= 2) {{
        __syncthreads();
        if (threadIdx.x < step)
            parts[threadIdx.y][threadIdx.x] += parts[threadIdx.y][threadIdx.x + step];
    }}
    if (row < rows && threadIdx.x == 0)
        y[row] = parts[threadIdx.y][0];
}}
)",
                       call->operands[0].name, call->operands[1].name, parameters.at("lanes"),
                       parameters.at("rows"));
}

OperatorGraph deriveProduct(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return oneCallGraph(op, "", {{rows, columns}, {columns}}, {}, {rows});
}

} // namespace

OperatorFamily matrixVectorFamily()
{
    return {"E10",  "matrix times vector", {{"lanes", {8, 16, 32}}, {"rows", {1, 4}}},
            {"mv"}, writeProduct,          deriveProduct};
}

} // namespace sparserl
