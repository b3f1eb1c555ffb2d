//! task spmv
//! const TPB = 64
//! const PER_THREAD = 2
//! launch several_rows<<<ceil_div(rows, TPB * PER_THREAD), TPB>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#ifndef TPB
#define TPB 128
#endif
extern "C" __global__ void several_rows(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int base = blockIdx.x * TPB * PER_THREAD + threadIdx.x;
    float sums[PER_THREAD];
    #pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
        const int r = base + k * TPB;
        sums[k] = 0.f;
        if (r < rows)
            for (int j = rp[r]; j < rp[r + 1]; ++j) sums[k] += va[j] * x[ci[j]];
    }
    #pragma unroll
    for (int k = 0; k < PER_THREAD; ++k)
        if (base + k * TPB < rows) y[base + k * TPB] = sums[k];
}
