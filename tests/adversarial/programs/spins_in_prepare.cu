//! task spmv
//! prepared p i32[rows]
//! prepare once<<<1, 32>>>(rows, csr.row_ptr, p)
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void once(int rows, const int* ptr, int* p) {
    for (unsigned i = 1; i != 0; i += 2) if (ptr[0] > 5) p[0] = i;
}
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = s;
}
