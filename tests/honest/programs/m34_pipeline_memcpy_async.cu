//! task spmm
//! launch async_rows<<<rows, 32>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cuda_pipeline.h>
// Entries of the row are copied to shared memory asynchronously, 32 at a time.
extern "C" __global__ void async_rows(int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ int cols[32];
    __shared__ float vals[32];
    const int r = blockIdx.x, lane = threadIdx.x;
    for (int base = 0; base < n; base += 32) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; j += 32) {
            const int m = min(32, rp[r + 1] - j);
            if (lane < m) {
                __pipeline_memcpy_async(&cols[lane], &ci[j + lane], sizeof(int));
                __pipeline_memcpy_async(&vals[lane], &va[j + lane], sizeof(float));
            }
            __pipeline_commit();
            __pipeline_wait_prior(0);
            __syncthreads();
            if (base + lane < n)
                for (int k = 0; k < m; ++k) s += vals[k] * B[cols[k] * n + base + lane];
            __syncthreads();
        }
        if (base + lane < n) C[r * n + base + lane] = s;
    }
}
