//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) {
        float a = val[k], b = x[col[k]];
        s = __fmaf_ru(a, b, s);
    }
    if (row < rows) y[row] = s;
}
