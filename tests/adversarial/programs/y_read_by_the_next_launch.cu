//! task spmv
//! launch first<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
//! launch second<<<ceil_div(nnz, 2048), 64>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void first(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < min(ptr[row + 1], ptr[row] + 16); ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = s;
}
extern "C" __global__ void second(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // The rest of long rows, by blocks of entries: two blocks may have one row.
    int from = blockIdx.x * 2048, to = min(from + 2048, nnz);
    for (int r = threadIdx.x; r < rows; r += 64) {
        float s = 0;
        for (int k = max(from, ptr[r] + 16); k < min(to, ptr[r + 1]); ++k) s += val[k] * x[col[k]];
        if (s != 0) y[r] += s;
    }
}
