//! task spmv
//! zero y
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, 0, rows / 2 + 1, csr.row_ptr, csr.col, csr.val, x, y)
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, rows / 2, rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int from, int to, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = from + blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row >= to || row >= rows) return;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    atomicAdd(y + row, s);
}
