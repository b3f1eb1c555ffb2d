// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Programs that the tests of the judge share. Line numbers count from the first plan line.
namespace sparserl::tests {

inline std::string warpPerRow(const std::string& extra = {})
{
    return "//! task spmv\n"
           "//! launch spmv<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n" +
           extra +
           R"(extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val,
                                const float* x, float* y) {
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 32) s += val[k] * x[col[k]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0) y[row] = s;
}
)";
}

/// One thread a row, with a body of its own between the sum (in `s`, `row` and `rows` known) and the end.
inline std::string threadPerRow(const std::string& body, const std::string& plan = {},
                                const std::string& before = {})
{
    return "//! task spmv\n" + plan +
           "//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n" +
           before +
           "extern \"C\" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, "
           "const float* x, "
           "float* y) {\n"
           "    int row = blockIdx.x * 64 + threadIdx.x;\n"
           "    float s = 0;\n"
           "    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];\n" +
           body + "\n}\n";
}

} // namespace sparserl::tests
