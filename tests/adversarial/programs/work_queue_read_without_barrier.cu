//! task spmv
//! scratch next i32[1] zero
//! launch spmv<<<8, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, next)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* next) {
    __shared__ int from;
    for (;;) {
        if (threadIdx.x == 0) from = atomicAdd(next, 64);
        __syncthreads();
        int row = from + threadIdx.x;
        if (row - threadIdx.x >= rows) return;
        float s = 0;
        if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
        if (row < rows) y[row] = s; // And on, while others still read `from`.
    }
}
