//! task spmv
//! launch spmv<<<2, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    float s = 0;
    for (int row = blockIdx.x * 64 + threadIdx.x; row < rows; row += 64 * gridDim.x) {
        for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
        y[row] = s;
    }
}
