//! task spmv f64
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const double* val, const double* x, double* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    double s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) {
        double a = val[k], b = x[col[k]];
        s = __dadd_ru(s, __dmul_ru(a, b));
    }
    if (row < rows) y[row] = s;
}
