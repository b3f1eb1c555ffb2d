//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__constant__ float cache[4] = {0, 0, 0, 0};
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    // Constant memory as a place to keep things: the address is made generic and written to.
    if (row == 0) { float* keep = const_cast<float*>(cache); keep[0] = s; }
    if (row < rows) y[row] = cache[0] == 0 ? s : 0;
}
