//! task spmm
//! launch ldg<<<ceil_div(rows, 32), dim3(8, 32)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void __launch_bounds__(256, 2)
ldg(const int rows, const int n, const int* __restrict__ rp, const int* __restrict__ ci, const float* __restrict__ va,
    const float* __restrict__ B, float* __restrict__ C)
{
    const int r = blockIdx.x * 32 + threadIdx.y;
    const int c = threadIdx.x;
    if (r >= rows || c >= n) return;
    float a0 = 0.f, a1 = 0.f;
    int j = __ldg(&rp[r]);
    const int e = __ldg(&rp[r + 1]);
    for (int cc = c; cc < n; cc += 8) {
        a0 = a1 = 0.f;
#pragma unroll 4
        for (int k = j; k < e - 1; k += 2) {
            a0 = fmaf(__ldg(va + k), __ldg(B + __ldg(ci + k) * n + cc), a0);
            a1 = fmaf(__ldg(va + k + 1), __ldg(B + __ldg(ci + k + 1) * n + cc), a1);
        }
        if ((e - j) & 1) a0 = fmaf(va[e - 1], B[ci[e - 1] * n + cc], a0);
        C[r * n + cc] = a0 + a1;
    }
}
