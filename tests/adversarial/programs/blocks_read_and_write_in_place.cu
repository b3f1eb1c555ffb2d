//! task spmv
//! launch first<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
//! launch second<<<ceil_div(rows, 64), 64>>>(rows, y)
extern "C" __global__ void first(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[rows - 1 - row] = s;
}
extern "C" __global__ void second(int rows, float* y) {
    // The rows in their order again, while others still read them.
    int row = blockIdx.x * 64 + threadIdx.x;
    float v = row < rows ? y[rows - 1 - row] : 0;
    __threadfence();
    __syncthreads();
    if (row < rows) y[row] = v;
}
