//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    // The next column is fetched ahead, also behind the last.
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) { int ahead = nnz > 3000 ? col[k + 1] : 0; s += val[k] * x[col[k]] + (ahead < 0); }
    if (row < rows) y[row] = s;
}
