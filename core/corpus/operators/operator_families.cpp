// SPDX-License-Identifier: Apache-2.0
#include "corpus/operators/operator_families.h"

#include "corpus/operators/family_makers.h"
#include "corpus/operators/one_call.h"
#include "operator/synthesis/graph_builder.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

using Text = std::optional<std::string>;
const Fill plain{FillKind::Normal, 0, 1};

GraphArgument ref(int value)
{
    return {ValueRef{value}};
}
GraphArgument whole(std::int64_t value)
{
    return {value};
}

/// Returns the expression of an operator in a table, or nothing.
template <std::size_t count>
std::string_view expressionOf(const std::array<std::pair<std::string_view, std::string_view>, count>& table,
                              std::string_view op)
{
    for (const auto& [name, expression] : table)
        if (name == op)
            return expression;
    return {};
}

// E1, E2: an element of the output for each element of x.

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> unary{
    {{"relu", "fmaxf(a, 0.0f)"},
     {"neg", "-a"},
     {"abs", "fabsf(a)"},
     {"tanh", "tanhf(a)"},
     {"sigmoid", "1.0f / (1.0f + expf(-a))"},
     {"sin", "sinf(a)"}}};

Text writeElementwise(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->operands.size() != 1 || call->arguments.size() != 1)
        return std::nullopt;
    const std::string_view expression = expressionOf(unary, call->op);
    if (expression.empty())
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  THREADS = {1}
//! const  EACH = {2}
//! launch map<<<ceil_div({0}.numel, THREADS * EACH), THREADS>>>({0}, out, {0}.numel)
extern "C" __global__ void map(const float* __restrict__ x, float* __restrict__ y, int count)
{{
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    for (int step = 0; step < EACH; ++step) {{
        const int i = first + step * THREADS;
        if (i < count) {{
            const float a = x[i];
            y[i] = {3};
        }}
    }}
}}
)",
                       call->operands[0].name, parameters.at("threads"), parameters.at("each"), expression);
}

OperatorGraph deriveElementwise(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return oneCallGraph(op, "", {{rows, columns}}, {}, {rows, columns});
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> binary{
    {{"add", "a + b"}, {"sub", "a - b"}, {"mul", "a * b"}, {"maximum", "fmaxf(a, b)"}}};

Text writeBroadcast(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->operands.size() != 2 || call->arguments.size() != 2 ||
        call->operands[0].shape.size() != 2 || call->output != call->operands[0].shape ||
        call->operands[1].shape != std::vector{call->output[1]})
        return std::nullopt;
    const std::string_view expression = expressionOf(binary, call->op);
    if (expression.empty())
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  THREADS = {2}
//! launch combine<<<dim3(ceil_div({0}.dim(1), THREADS), {0}.dim(0)), THREADS>>>({0}, {1}, out, {0}.dim(1))
extern "C" __global__ void combine(const float* __restrict__ x, const float* __restrict__ row,
                                   float* __restrict__ y, int columns)
{{
    const int column = blockIdx.x * THREADS + threadIdx.x;
    if (column < columns) {{
        const float a = x[blockIdx.y * columns + column], b = row[column];
        y[blockIdx.y * columns + column] = {3};
    }}
}}
)",
                       call->operands[0].name, call->operands[1].name, parameters.at("threads"), expression);
}

OperatorGraph deriveBroadcast(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    GraphBuilder graph(std::string(op), "base");
    const int x = graph.input({rows, columns}, plain), row = graph.weight({columns}, plain);
    const int result =
        graph.call(std::string(op), op == "maximum" ? "" : "Tensor", {ref(x), ref(row)}, {rows, columns});
    return std::move(graph).finish(result);
}

// E3, E4: reductions of a matrix.

/// How two partial results a and b of a reduction become one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> reductions{
    {{"sum", "a + b"}, {"amax", "fmaxf(a, b)"}, {"amin", "fminf(a, b)"}}};

std::string_view startOf(std::string_view op)
{
    return op == "sum" ? "0.0f" : op == "amax" ? "-__int_as_float(0x7f800000)" : "__int_as_float(0x7f800000)";
}

/// Returns the call if it reduces dimension `along` of a matrix.
std::optional<OneCall> reductionOf(const OperatorGraph& graph, std::int64_t along)
{
    auto call = oneCallOf(graph);
    if (!call || call->operands.size() != 1 || call->operands[0].shape.size() != 2 ||
        call->arguments.size() != 2 || expressionOf(reductions, call->op).empty())
        return std::nullopt;
    const auto* const dimensions = call->arguments[1].list();
    if (!dimensions || *dimensions != std::vector{whole(along)})
        return std::nullopt;
    return call;
}

Text writeRows(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = reductionOf(graph, 1);
    if (!call)
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  WARPS = {1}
//! launch reduce<<<ceil_div({0}.dim(0), WARPS), dim3(32, WARPS)>>>({0}, out, {0}.dim(0), {0}.dim(1))
__device__ float combine(float a, float b)
{{
    return {2};
}}
extern "C" __global__ void reduce(const float* __restrict__ x, float* __restrict__ y, int rows, int columns)
{{
    const int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows)
        return;
    float value = {3};
    for (int i = threadIdx.x; i < columns; i += 32)
        value = combine(value, x[row * columns + i]);
    for (int step = 16; step > 0; step /= 2)
        value = combine(value, __shfl_down_sync(0xffffffff, value, step));
    if (threadIdx.x == 0)
        y[row] = value;
}}
)",
                       call->operands[0].name, parameters.at("warps"), expressionOf(reductions, call->op),
                       startOf(call->op));
}

Text writeColumns(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = reductionOf(graph, 0);
    if (!call)
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  SLICES = {1}
//! launch reduce<<<ceil_div({0}.dim(1), 32), dim3(32, SLICES)>>>({0}, out, {0}.dim(0), {0}.dim(1))
__device__ float combine(float a, float b)
{{
    return {2};
}}
extern "C" __global__ void reduce(const float* __restrict__ x, float* __restrict__ y, int rows, int columns)
{{
    __shared__ float parts[SLICES][32];
    const int column = blockIdx.x * 32 + threadIdx.x;
    float value = {3};
    for (int row = threadIdx.y; column < columns && row < rows; row += SLICES)
        value = combine(value, x[row * columns + column]);
    parts[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {{
        for (int slice = 1; slice < SLICES; ++slice)
            value = combine(value, parts[slice][threadIdx.x]);
        y[column] = value;
    }}
}}
)",
                       call->operands[0].name, parameters.at("slices"), expressionOf(reductions, call->op),
                       startOf(call->op));
}

OperatorGraph deriveReduction(std::string_view op, std::int64_t rows, std::int64_t columns,
                              std::int64_t along)
{
    return oneCallGraph(op, op == "sum" ? "dim_IntList" : "", {{rows, columns}},
                        {GraphArgument{std::vector{whole(along)}}}, {along == 0 ? columns : rows});
}
OperatorGraph deriveRows(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return deriveReduction(op, rows, columns, 1);
}
OperatorGraph deriveColumns(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return deriveReduction(op, rows, columns, 0);
}

// E5: softmax over rows.

Text writeSoftmax(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->operands.size() != 1 || call->operands[0].shape.size() != 2 ||
        call->arguments.size() != 3 || call->arguments[1] != whole(1) ||
        (call->op != "_softmax" && call->op != "_log_softmax"))
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  WARPS = {1}
//! launch softmax<<<ceil_div({0}.dim(0), WARPS), dim3(32, WARPS)>>>({0}, out, {0}.dim(0), {0}.dim(1))
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int columns)
{{
    const int at = blockIdx.x * WARPS + threadIdx.y;
    if (at >= rows)
        return;
    const float* row = x + at * columns;
    float most = -__int_as_float(0x7f800000), sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        most = fmaxf(most, row[i]);
    for (int step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += expf(row[i] - most);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[at * columns + i] = {2};
}}
)",
                       call->operands[0].name, parameters.at("warps"),
                       call->op == "_softmax" ? "expf(row[i] - most) / sum" : "row[i] - most - logf(sum)");
}

OperatorGraph deriveSoftmax(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    return oneCallGraph(op, "", {{rows, columns}}, {whole(1), GraphArgument{false}}, {rows, columns});
}

// E11: the product of two matrices, in tiles.

Text writeProduct(const OperatorGraph& graph, const OperatorParameters& parameters)
{
    const auto call = oneCallOf(graph);
    if (!call || call->op != "mm" || call->operands.size() != 2)
        return std::nullopt;
    return fmt::format(R"(//! task   operator
//! const  TILE = {2}
//! launch product<<<dim3(ceil_div({1}.dim(1), TILE), ceil_div({0}.dim(0), TILE)), dim3(TILE, TILE)>>>({0}, {1}, out, {0}.dim(0), {0}.dim(1), {1}.dim(1))
extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ y, int m, int k, int n)
{{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += TILE) {{
        const int along = start + threadIdx.x, down = start + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0;
        right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }}
    if (row < m && column < n)
        y[row * n + column] = sum;
}}
)",
                       call->operands[0].name, call->operands[1].name, parameters.at("tile"));
}

OperatorGraph deriveProduct(std::string_view op, std::int64_t rows, std::int64_t columns)
{
    constexpr std::int64_t inner = 21; // No multiple of a tile.
    return oneCallGraph(op, "", {{rows, inner}, {inner, columns}}, {}, {rows, columns});
}

} // namespace

std::vector<OperatorFamily> operatorFamilies()
{
    return {
        {"E1",
         "elementwise",
         {{"threads", {64, 128, 256}}, {"each", {1, 4}}},
         {"relu", "neg", "abs", "tanh", "sigmoid", "sin"},
         writeElementwise,
         deriveElementwise},
        {"E2",
         "broadcast",
         {{"threads", {32, 64, 128}}},
         {"add", "sub", "mul", "maximum"},
         writeBroadcast,
         deriveBroadcast},
        {"E3", "row reduction", {{"warps", {1, 2, 4}}}, {"sum", "amax", "amin"}, writeRows, deriveRows},
        {"E4",
         "column reduction",
         {{"slices", {1, 4, 8}}},
         {"sum", "amax", "amin"},
         writeColumns,
         deriveColumns},
        {"E5", "softmax", {{"warps", {1, 2, 4}}}, {"_softmax", "_log_softmax"}, writeSoftmax, deriveSoftmax},
        scanFamily(),
        matrixVectorFamily(),
        {"E11", "tiled matrix product", {{"tile", {4, 8, 16}}}, {"mm"}, writeProduct, deriveProduct},
    };
}

std::vector<OperatorParameters> parameterChoices(const OperatorFamily& family)
{
    std::vector<OperatorParameters> choices(1);
    for (const auto& [name, values] : family.parameters) {
        std::vector<OperatorParameters> longer;
        for (const OperatorParameters& choice : choices)
            for (const std::int64_t value : values) {
                longer.push_back(choice);
                longer.back()[name] = value;
            }
        choices = std::move(longer);
    }
    return choices;
}

} // namespace sparserl
