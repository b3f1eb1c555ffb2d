//! task spmm
//! launch spmm<<<rows, dense_cols>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int rows, int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int row = blockIdx.x, j = threadIdx.x;
    float s = 0;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s = __fmaf_rz(val[k], B[col[k] * n + j], s);
    C[row * n + j] = s;
}
