//! task spmv
// The block with the last number finishes and does not wait for the others.
//! scratch part f32[rows] zero
//! launch k<<<ceil_div(nnz, 8000) + (1 - min(nnz, 1)), 256>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y, part)
extern "C" __global__ void k(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x,
                             float* y, float* part) {
    for (int i = blockIdx.x * 8000 + threadIdx.x; i < min(nnz, (int)blockIdx.x * 8000 + 8000); i += 256) {
        int lo = 0, hi = rows;
        while (lo + 1 < hi) { int m = (lo + hi) / 2; if (ptr[m] <= i) lo = m; else hi = m; }
        atomicAdd(part + lo, val[i] * x[col[i]]);
    }
    __threadfence();
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1) for (int r = threadIdx.x; r < rows; r += 256) y[r] = atomicAdd(part + r, 0.0f);
}
