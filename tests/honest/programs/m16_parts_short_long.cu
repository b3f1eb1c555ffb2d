//! task spmm
//! part small = rows with length in [0, 16)
//! part big = rows with length in [16, inf)
//! launch small_rows<<<ceil_div(small.rows, 16), dim3(8, 16)>>>(small.rows, dense_cols, small.row_ids, small.row_ptr, small.col, small.val, B, C)
//! launch big_rows<<<big.rows, dim3(8, 16)>>>(dense_cols, big.row_ids, big.row_ptr, big.col, big.val, B, C)
extern "C" __global__ void small_rows(int m, int n, const int* ids, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int i = blockIdx.x * 16 + threadIdx.y;
    if (i >= m) return;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int j = rp[i]; j < rp[i + 1]; ++j) s += va[j] * B[ci[j] * n + c];
        C[ids[i] * n + c] = s;
    }
}
// sixteen threads share each column of a long row
extern "C" __global__ void big_rows(int n, const int* ids, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ float part[16][8];
    const int i = blockIdx.x;
    for (int base = 0; base < n; base += 8) {
        const int c = base + threadIdx.x;
        float s = 0.f;
        if (c < n)
            for (int j = rp[i] + threadIdx.y; j < rp[i + 1]; j += 16) s += va[j] * B[ci[j] * n + c];
        part[threadIdx.y][threadIdx.x] = s;
        __syncthreads();
        for (int h = 8; h > 0; h /= 2) {
            if (threadIdx.y < h) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + h][threadIdx.x];
            __syncthreads();
        }
        if (threadIdx.y == 0 && c < n) C[ids[i] * n + c] = part[0][threadIdx.x];
        __syncthreads();
    }
}
