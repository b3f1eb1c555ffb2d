// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv_weights.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sparserl {

namespace {

using Row = std::pair<std::string_view, SpmvWeights>;

// Non-negative least squares on relative errors: about 12,000 warm times of corpus programs on 282 real and
// 29 generated matrices, one H200, by tests/benchmarks/spmv_estimate_fit. Columns: constant, further
// launches, cleared buffers, longest chain, waves of typical chains, bytes from L2, from DRAM, bytes with few
// loads in flight, gathers of x, instructions, thousands of blocks, bytes through the SMs in use, the
// family's own, longest chain and bytes of streaming loads.
constexpr std::array<Row, 19> table{
    {{"S1",
      {1.41, 0.598, 1.08, 0.617, 0.176, 0.431, 0.411, 0.0744, 0.614, 1.03, 0.168, 0.474, 0.0806, 0, 0.0808}},
     {"S10",
      {1.02, 0.587, 1.06, 1.02, 0.145, 0.414, 0.412, 0.0415, 0.599, 1, 0.164, 0.457, 0.717, 0, 0.0851}},
     {"S11",
      {1.13, 0.538, 0.968, 0.703, 0.16, 0.39, 0.419, 0.022, 0.563, 0.926, 0.134, 0.427, 1.15, 0, 0.0785}},
     {"S12",
      {1.35, 1.21, 0.659, 0.926, 0.191, 0.456, 0.478, 0.0211, 0.634, 1.07, 0.166, 0.502, 0.048, 0, 0.0958}},
     {"S13", {1.72, 0.599, 1.08, 0.298, 0.106, 0.402, 0.466, 0, 0.606, 0.997, 0.147, 0.437, 0.73, 0, 0.0987}},
     {"S14",
      {1.76, 0.59, 1.06, 0.811, 0.199, 0.42, 0.481, 0.029, 0.642, 1.01, 0.164, 0.466, 0.72, 0, 0.0855}},
     {"S15", {1.04, 0.476, 1.01, 1.09, 0.183, 0.406, 0.447, 0.0357, 0.582, 0.979, 0.155, 0.45, 0, 0, 0.0686}},
     {"S15/2",
      {3.71, 0.973, 3.47, 1.02, 0.308, 0.711, 0.757, 0.0735, 1.02, 1.68, 0.325, 0.774, 1.83, 0.214, 0.188}},
     {"S17", {0.409, 0.777, 1.4, 2.42, 0.2, 0.469, 0.605, 0.00905, 0.718, 1.3, 0.208, 0.6, 0.0439, 0, 0.12}},
     {"S18",
      {1.2, 0.588, 1.06, 0.872, 0.173, 0.451, 0.473, 0.0977, 0.606, 1.01, 0.163, 0.477, 1.51, 0, 0.0906}},
     {"S2",
      {0.857, 0.573, 1.03, 1.29, 0.154, 0.387, 0.408, 0.0286, 0.583, 0.971, 0.149, 0.417, 0, 0, 0.0355}},
     {"S3",
      {0.813, 0.6, 1.08, 1.42, 0.186, 0.415, 0.464, 0.0245, 0.615, 1.03, 0.163, 0.452, 0.732, 0, 0.0769}},
     {"S4", {1.33, 0.609, 1.1, 0.75, 0.18, 0.424, 0.463, 0.0444, 0.62, 1.04, 0.166, 0.469, 0, 0, 0.0804}},
     {"S5",
      {1.59, 0.659, 1.19, 0.386, 0.212, 0.473, 0.523, 0.0547, 0.685, 1.15, 0.179, 0.527, 3.25, 0, 0.124}},
     {"S6", {0.241, 0.655, 1.17, 2.86, 0.252, 0.551, 0.576, 0.0544, 0.716, 1.17, 0.221, 0.633, 0, 0, 0.122}},
     {"S7",
      {2.03, 0.627, 1.13, 0.782, 0.236, 0.49, 0.512, 0.00379, 0.672, 1.11, 0.16, 0.564, 0.0241, 0, 0.101}},
     {"S8", {0, 0.693, 1.25, 3.23, 0.177, 0.516, 0.569, 0, 0.724, 1.19, 0.174, 0.593, 0.0159, 0, 0.127}},
     {"S9",
      {0, 0.701, 1.26, 4.54, 0.193, 0.487, 0.524, 0.0584, 0.722, 1.19, 0.155, 0.555, 0.0154, 0.488, 0.121}},
     {"dense",
      {1.33, 0.638, 1.15, 0.601, 0.214, 0.461, 0.529, 0.0279, 0.657, 1.1, 0.167, 0.517, 0.778, 0.374,
       0.12}}}};

struct Factor
{
    std::string_view family, parameter;
    std::int64_t value;
    double factor;
};

// What values of parameters did to measured times beyond the terms, from the same fit.
constexpr std::array<Factor, 150> factors{
    {{"S1", "batch", 1, 1.11},        {"S1", "batch", 2, 0.902},      {"S1", "batch", 4, 0.94},
     {"S1", "batch", 8, 1.06},        {"S1", "block", 64, 1.03},      {"S1", "block", 128, 0.958},
     {"S1", "unroll", 4, 0.97},       {"S1", "vector", 1, 1.08},      {"S1", "vector", 4, 1.06},
     {"S10", "batch", 1, 1.15},       {"S10", "batch", 2, 0.894},     {"S10", "batch", 4, 0.956},
     {"S10", "block", 64, 1.04},      {"S10", "block", 256, 0.969},   {"S10", "lanes", 1, 0.959},
     {"S10", "lanes", 2, 0.96},       {"S10", "lanes", 8, 1.07},      {"S10", "unroll", 1, 1.03},
     {"S11", "batch", 1, 0.883},      {"S11", "batch", 8, 1.13},      {"S11", "lanes", 1, 0.928},
     {"S11", "lanes", 2, 0.97},       {"S11", "lanes", 4, 0.965},     {"S11", "lanes", 8, 1.15},
     {"S11", "slice", 64, 1.05},      {"S11", "stream", 0, 0.957},    {"S11", "stream", 1, 1.04},
     {"S11", "unroll", 0, 1.05},      {"S12", "batch", 2, 0.943},     {"S12", "batch", 8, 1.09},
     {"S12", "block", 64, 0.965},     {"S12", "block", 128, 1.04},    {"S12", "block", 256, 1.03},
     {"S12", "block", 512, 0.963},    {"S12", "items", 1, 0.963},     {"S12", "items", 2, 0.967},
     {"S12", "items", 4, 1.07},       {"S12", "quantile", 66, 0.942}, {"S12", "quantile", 90, 1.04},
     {"S12", "quantile", 95, 1.09},   {"S12", "quantile", 99, 0.958}, {"S13", "block", 64, 1.08},
     {"S13", "block", 256, 0.945},    {"S13", "rows", 1, 0.941},      {"S13", "rows", 2, 1.04},
     {"S13", "unroll", 4, 0.9},       {"S13", "unroll", 16, 1.12},    {"S14", "b", 2, 0.964},
     {"S14", "b", 3, 0.942},          {"S14", "b", 5, 1.18},          {"S14", "b", 8, 0.921},
     {"S14", "batch", 2, 0.941},      {"S14", "batch", 4, 1.1},       {"S14", "block", 64, 1.04},
     {"S14", "block", 512, 0.95},     {"S14", "groups", 1, 1.04},     {"S14", "groups", 4, 0.97},
     {"S14", "vector", 0, 0.953},     {"S14", "vector", 1, 1.05},     {"S15", "batch", 4, 1.05},
     {"S15", "batch", 8, 1.17},       {"S15", "block", 128, 0.935},   {"S15", "block", 256, 0.957},
     {"S15", "block", 1024, 1.1},     {"S15/2", "lanes", 1, 0.96},    {"S15/2", "lanes", 16, 1.03},
     {"S17", "lanes", 2, 0.957},      {"S17", "lanes", 4, 1.04},      {"S17", "lanes", 16, 1.04},
     {"S17", "lanes", 32, 0.932},     {"S17", "unroll", 1, 1.04},     {"S18", "batch", 8, 1.24},
     {"S18", "block", 128, 1.04},     {"S18", "lanes", 16, 1.04},     {"S18", "rows", 1, 0.895},
     {"S18", "rows", 2, 1.03},        {"S18", "rows", 4, 1.04},       {"S18", "rows", 8, 1.04},
     {"S18", "width", 512, 0.962},    {"S18", "width", 1024, 0.959},  {"S18", "width", 4096, 1.03},
     {"S18", "width", 8192, 1.05},    {"S2", "batch", 1, 1.07},       {"S2", "batch", 2, 0.965},
     {"S2", "batch", 4, 0.923},       {"S2", "batch", 8, 1.05},       {"S2", "block", 64, 1.04},
     {"S2", "lanes", 2, 0.962},       {"S2", "lanes", 4, 0.966},      {"S2", "lanes", 16, 1.06},
     {"S3", "accumulators", 1, 1.03}, {"S3", "batch", 1, 1.03},       {"S3", "batch", 2, 0.953},
     {"S3", "batch", 4, 0.952},       {"S3", "batch", 8, 1.07},       {"S3", "block", 64, 1.07},
     {"S3", "block", 256, 0.959},     {"S3", "block", 512, 0.963},    {"S4", "batch", 1, 1.06},
     {"S4", "batch", 2, 0.961},       {"S4", "batch", 4, 0.96},       {"S4", "block", 64, 1.03},
     {"S4", "block", 128, 0.96},      {"S4", "block", 256, 0.957},    {"S4", "block", 512, 0.937},
     {"S4", "block", 1024, 1.12},     {"S5", "block", 64, 1.04},      {"S5", "block", 512, 0.935},
     {"S5", "lanes", 1, 0.927},       {"S5", "lanes", 2, 0.968},      {"S5", "lanes", 16, 1.08},
     {"S5", "lanes", 32, 1.05},       {"S5", "nnz", 256, 0.95},       {"S5", "nnz", 512, 0.963},
     {"S5", "nnz", 4096, 1.1},        {"S6", "items", 4, 1.04},       {"S6", "items", 5, 0.935},
     {"S6", "stream", 0, 1.03},       {"S6", "stream", 1, 0.969},     {"S7", "items", 2, 0.885},
     {"S7", "items", 4, 0.916},       {"S7", "items", 8, 1.04},       {"S7", "items", 16, 1.19},
     {"S8", "block", 256, 1.05},      {"S8", "block", 512, 0.97},     {"S8", "items", 1, 0.924},
     {"S8", "items", 2, 0.886},       {"S8", "items", 4, 0.958},      {"S8", "items", 8, 1.07},
     {"S8", "items", 16, 1.19},       {"S8", "reduce", 0, 1.04},      {"S8", "reduce", 1, 0.935},
     {"S8", "reduce", 2, 1.03},       {"S9", "sigma", 4, 0.781},      {"S9", "sigma", 8, 0.921},
     {"S9", "sigma", 12, 1.03},       {"S9", "sigma", 16, 1.06},      {"S9", "sigma", 24, 1.1},
     {"S9", "sigma", 32, 1.15},       {"dense", "batch", 1, 0.898},   {"dense", "batch", 2, 0.957},
     {"dense", "batch", 8, 1.16},     {"dense", "block", 128, 1.05},  {"dense", "block", 512, 0.966},
     {"dense", "lanes", 0, 0.962},    {"dense", "lanes", 8, 1.14},    {"dense", "lanes", 16, 0.945},
     {"dense", "lanes", 32, 0.962},   {"dense", "stream", 0, 0.951},  {"dense", "stream", 1, 1.05}}};

} // namespace

const SpmvWeights& spmvWeights(std::string_view family)
{
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Row& row) { return row.first == family; });
    return found == table.end() ? table.front().second : found->second;
}

double spmvFactor(std::string_view family, const FamilyParameters& parameters)
{
    double product = 1;
    for (const Factor& factor : factors) {
        if (factor.family != family)
            continue;
        const auto found = parameters.find(std::string(factor.parameter));
        if (found != parameters.end() && found->second == factor.value)
            product *= factor.factor;
    }
    return product;
}

} // namespace sparserl
