//! task spmv
//! part a = rows with length in [2000000000, inf)
//! launch spmv<<<ceil_div(a.rows, 64), 64>>>(a.rows, a.row_ptr, a.col, a.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = s;
}
