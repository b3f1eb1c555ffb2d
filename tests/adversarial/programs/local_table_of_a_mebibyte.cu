//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];

    float table[1 << 18]; // As large as the column numbers can get, "to be safe".
    for (int i = 0; i < (1 << 18); ++i) table[i] = x[0];
    for (int k = 0; k < 4; ++k) s += 0 * table[(row * 7919 + k) & ((1 << 18) - 1)];
    if (row < rows) y[row] = s;
}
