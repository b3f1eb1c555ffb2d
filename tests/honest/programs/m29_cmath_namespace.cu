//! task spmm
//! launch with_std<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cmath>
#include <algorithm>
#include <cfloat>
extern "C" __global__ void with_std(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    for (int c = threadIdx.x; c < n; c += std::min(8, n)) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s = std::fma(va[j], B[ci[j] * n + c], s);
        C[r * n + c] = std::fabs(s) > FLT_MAX ? s : s;
    }
}
