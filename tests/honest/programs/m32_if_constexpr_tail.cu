//! task spmm
//! const NC = 8
//! launch tails<<<ceil_div(rows, 32), 32>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
template <bool Full>
__device__ void rowTimes(int r, int n, int base, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    float acc[NC] = {};
    for (int j = rp[r]; j < rp[r + 1]; ++j) {
        const float* b = B + ci[j] * n + base;
        for (int k = 0; k < NC; ++k) {
            if constexpr (Full) acc[k] += va[j] * b[k];
            else if (base + k < n) acc[k] += va[j] * b[k];
        }
    }
    for (int k = 0; k < NC; ++k)
        if (Full || base + k < n) C[r * n + base + k] = acc[k];
}
extern "C" __global__ void tails(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int base = 0; base < n; base += NC) {
        if (base + NC <= n) rowTimes<true>(r, n, base, rp, ci, va, B, C);
        else rowTimes<false>(r, n, base, rp, ci, va, B, C);
    }
}
