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
      {1.45, 0.612, 1.1, 0.632, 0.18, 0.442, 0.421, 0.0762, 0.628, 1.06, 0.172, 0.485, 0.0825, 0, 0.0828}},
     {"S10",
      {1.03, 0.593, 1.07, 1.02, 0.146, 0.418, 0.416, 0.0419, 0.605, 1.01, 0.166, 0.461, 0.723, 0, 0.0859}},
     {"S11",
      {1.14, 0.546, 0.983, 0.714, 0.163, 0.396, 0.425, 0.0223, 0.572, 0.941, 0.136, 0.434, 1.17, 0, 0.0797}},
     {"S12",
      {1.39, 1.25, 0.677, 0.952, 0.196, 0.469, 0.491, 0.0217, 0.652, 1.1, 0.171, 0.516, 0.0494, 0, 0.0985}},
     {"S13", {1.77, 0.618, 1.11, 0.307, 0.109, 0.415, 0.481, 0, 0.626, 1.03, 0.151, 0.452, 0.754, 0, 0.102}},
     {"S14", {1.82, 0.611, 1.1, 0.84, 0.206, 0.434, 0.498, 0.03, 0.664, 1.05, 0.17, 0.482, 0.745, 0, 0.0885}},
     {"S15", {1.05, 0.478, 1.01, 1.1, 0.184, 0.408, 0.45, 0.0359, 0.585, 0.984, 0.156, 0.453, 0, 0, 0.069}},
     {"S15/2",
      {4.55, 1.19, 4.26, 1.25, 0.377, 0.872, 0.928, 0.0902, 1.26, 2.06, 0.399, 0.949, 2.24, 0.262, 0.23}},
     {"S17",
      {0.463, 0.88, 1.58, 2.74, 0.227, 0.531, 0.685, 0.0102, 0.813, 1.47, 0.235, 0.68, 0.0497, 0, 0.136}},
     {"S18",
      {1.22, 0.598, 1.08, 0.885, 0.176, 0.458, 0.48, 0.0992, 0.616, 1.03, 0.166, 0.485, 1.53, 0, 0.092}},
     {"S2", {0.859, 0.574, 1.03, 1.3, 0.155, 0.388, 0.409, 0.0287, 0.585, 0.974, 0.15, 0.418, 0, 0, 0.0356}},
     {"S3",
      {0.817, 0.602, 1.08, 1.43, 0.186, 0.417, 0.466, 0.0246, 0.617, 1.03, 0.164, 0.454, 0.735, 0, 0.0773}},
     {"S4", {1.35, 0.619, 1.11, 0.763, 0.183, 0.431, 0.471, 0.0451, 0.63, 1.06, 0.169, 0.477, 0, 0, 0.0818}},
     {"S5", {1.62, 0.67, 1.21, 0.392, 0.216, 0.48, 0.532, 0.0556, 0.696, 1.17, 0.182, 0.536, 3.3, 0, 0.126}},
     {"S6", {0.233, 0.633, 1.14, 2.76, 0.244, 0.533, 0.557, 0.0526, 0.693, 1.14, 0.214, 0.612, 0, 0, 0.118}},
     {"S7",
      {2.06, 0.636, 1.15, 0.794, 0.239, 0.498, 0.52, 0.00385, 0.682, 1.13, 0.162, 0.572, 0.0244, 0, 0.103}},
     {"S8", {0, 0.721, 1.3, 3.36, 0.185, 0.537, 0.592, 0, 0.753, 1.24, 0.181, 0.617, 0.0166, 0, 0.132}},
     {"S9",
      {0, 0.738, 1.33, 4.78, 0.204, 0.513, 0.552, 0.0615, 0.761, 1.25, 0.164, 0.585, 0.0162, 0.514, 0.128}},
     {"dense",
      {1.34, 0.645, 1.16, 0.608, 0.216, 0.465, 0.535, 0.0282, 0.664, 1.11, 0.169, 0.522, 0.786, 0.378,
       0.121}}}};

using Tail = std::pair<std::string_view, double>;

constexpr std::array<Tail, 19> tails{{{"S1", 0.276},
                                      {"S10", -0.0354},
                                      {"S11", 0.0657},
                                      {"S12", 0.292},
                                      {"S13", 0},
                                      {"S14", 0.28},
                                      {"S15", 0.0427},
                                      {"S15/2", 0.104},
                                      {"S17", 0.185},
                                      {"S18", 0.276},
                                      {"S2", -0.0548},
                                      {"S3", -0.299},
                                      {"S4", 0.0604},
                                      {"S5", 0.15},
                                      {"S6", 0.0984},
                                      {"S7", 0.0635},
                                      {"S8", 0.126},
                                      {"S9", -0.0307},
                                      {"dense", 0.0104}}};

struct Factor
{
    std::string_view family, parameter;
    std::int64_t value;
    double factor;
};

// What values of parameters did to measured times beyond the terms, from the same fit.
constexpr std::array<Factor, 153> factors{
    {{"S1", "batch", 1, 1.11},      {"S1", "batch", 2, 0.877},       {"S1", "batch", 4, 0.945},
     {"S1", "batch", 8, 1.08},      {"S1", "block", 64, 1.03},       {"S1", "block", 128, 0.96},
     {"S1", "stream", 0, 0.97},     {"S1", "stream", 1, 1.03},       {"S1", "vector", 1, 1.06},
     {"S1", "vector", 4, 1.05},     {"S10", "batch", 1, 1.15},       {"S10", "batch", 2, 0.884},
     {"S10", "batch", 4, 0.958},    {"S10", "block", 64, 1.04},      {"S10", "block", 256, 0.969},
     {"S10", "lanes", 1, 0.958},    {"S10", "lanes", 2, 0.96},       {"S10", "lanes", 8, 1.07},
     {"S10", "unroll", 1, 1.04},    {"S11", "batch", 1, 0.855},      {"S11", "batch", 8, 1.15},
     {"S11", "lanes", 1, 0.926},    {"S11", "lanes", 2, 0.968},      {"S11", "lanes", 4, 0.963},
     {"S11", "lanes", 8, 1.16},     {"S11", "slice", 8, 0.967},      {"S11", "slice", 64, 1.05},
     {"S11", "stream", 0, 0.938},   {"S11", "stream", 1, 1.07},      {"S11", "unroll", 0, 1.04},
     {"S12", "batch", 1, 1.03},     {"S12", "batch", 2, 0.93},       {"S12", "batch", 4, 0.959},
     {"S12", "batch", 8, 1.09},     {"S12", "block", 64, 0.967},     {"S12", "block", 128, 1.05},
     {"S12", "block", 256, 1.03},   {"S12", "block", 512, 0.955},    {"S12", "items", 2, 0.964},
     {"S12", "items", 4, 1.05},     {"S12", "quantile", 66, 0.944},  {"S12", "quantile", 80, 0.964},
     {"S12", "quantile", 90, 1.04}, {"S12", "quantile", 95, 1.08},   {"S13", "block", 64, 1.07},
     {"S13", "block", 256, 0.937},  {"S13", "rows", 1, 0.937},       {"S13", "rows", 2, 1.04},
     {"S13", "unroll", 4, 0.9},     {"S13", "unroll", 16, 1.12},     {"S14", "b", 2, 0.955},
     {"S14", "b", 3, 0.936},        {"S14", "b", 5, 1.19},           {"S14", "b", 8, 0.923},
     {"S14", "batch", 2, 0.929},    {"S14", "batch", 4, 1.09},       {"S14", "block", 64, 1.04},
     {"S14", "block", 512, 0.949},  {"S14", "groups", 1, 1.04},      {"S14", "groups", 4, 0.968},
     {"S14", "vector", 0, 0.957},   {"S14", "vector", 1, 1.04},      {"S15", "batch", 4, 1.05},
     {"S15", "batch", 8, 1.17},     {"S15", "block", 128, 0.936},    {"S15", "block", 256, 0.958},
     {"S15", "block", 1024, 1.1},   {"S15/2", "batch", 2, 0.957},    {"S15/2", "lanes", 1, 0.902},
     {"S15/2", "lanes", 2, 0.961},  {"S15/2", "lanes", 8, 1.06},     {"S15/2", "lanes", 16, 1.09},
     {"S15/2", "lanes", 32, 1.08},  {"S15/2", "long", 1024, 1.03},   {"S17", "lanes", 2, 0.953},
     {"S17", "lanes", 4, 1.04},     {"S17", "lanes", 8, 1.06},       {"S17", "lanes", 16, 1.03},
     {"S17", "lanes", 32, 0.901},   {"S17", "unroll", 1, 1.03},      {"S18", "batch", 8, 1.24},
     {"S18", "block", 128, 1.05},   {"S18", "lanes", 16, 1.04},      {"S18", "rows", 1, 0.888},
     {"S18", "rows", 4, 1.04},      {"S18", "rows", 8, 1.06},        {"S18", "width", 512, 0.964},
     {"S18", "width", 1024, 0.957}, {"S18", "width", 8192, 1.05},    {"S2", "batch", 1, 1.07},
     {"S2", "batch", 2, 0.96},      {"S2", "batch", 4, 0.925},       {"S2", "batch", 8, 1.06},
     {"S2", "block", 64, 1.04},     {"S2", "lanes", 2, 0.961},       {"S2", "lanes", 4, 0.965},
     {"S2", "lanes", 16, 1.07},     {"S3", "accumulators", 1, 1.03}, {"S3", "batch", 1, 1.03},
     {"S3", "batch", 2, 0.952},     {"S3", "batch", 4, 0.951},       {"S3", "batch", 8, 1.07},
     {"S3", "block", 64, 1.07},     {"S3", "block", 256, 0.959},     {"S3", "block", 512, 0.964},
     {"S4", "batch", 1, 1.07},      {"S4", "batch", 2, 0.964},       {"S4", "batch", 4, 0.96},
     {"S4", "block", 128, 0.954},   {"S4", "block", 256, 0.95},      {"S4", "block", 512, 0.934},
     {"S4", "block", 1024, 1.15},   {"S5", "block", 64, 1.07},       {"S5", "block", 512, 0.925},
     {"S5", "lanes", 1, 0.921},     {"S5", "lanes", 2, 0.954},       {"S5", "lanes", 16, 1.09},
     {"S5", "lanes", 32, 1.06},     {"S5", "nnz", 256, 0.946},       {"S5", "nnz", 512, 0.958},
     {"S5", "nnz", 4096, 1.12},     {"S6", "items", 4, 1.07},        {"S6", "items", 5, 0.956},
     {"S6", "items", 10, 0.96},     {"S6", "items", 14, 1.04},       {"S7", "items", 2, 0.89},
     {"S7", "items", 4, 0.919},     {"S7", "items", 16, 1.19},       {"S8", "block", 256, 1.05},
     {"S8", "block", 512, 0.967},   {"S8", "items", 1, 0.931},       {"S8", "items", 2, 0.876},
     {"S8", "items", 4, 0.95},      {"S8", "items", 8, 1.04},        {"S8", "items", 16, 1.24},
     {"S8", "reduce", 0, 1.06},     {"S8", "reduce", 1, 0.925},      {"S9", "sigma", 4, 0.752},
     {"S9", "sigma", 8, 0.896},     {"S9", "sigma", 16, 1.06},       {"S9", "sigma", 24, 1.15},
     {"S9", "sigma", 32, 1.22},     {"dense", "batch", 1, 0.892},    {"dense", "batch", 2, 0.957},
     {"dense", "batch", 8, 1.16},   {"dense", "block", 128, 1.05},   {"dense", "block", 512, 0.97},
     {"dense", "lanes", 0, 0.959},  {"dense", "lanes", 8, 1.15},     {"dense", "lanes", 16, 0.946},
     {"dense", "lanes", 32, 0.961}, {"dense", "stream", 0, 0.941},   {"dense", "stream", 1, 1.06}}};

} // namespace

const SpmvWeights& spmvWeights(std::string_view family)
{
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Row& row) { return row.first == family; });
    return found == table.end() ? table.front().second : found->second;
}

double spmvTail(std::string_view family)
{
    const auto found =
        std::find_if(tails.begin(), tails.end(), [&](const Tail& tail) { return tail.first == family; });
    return found == tails.end() ? 0 : found->second;
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
