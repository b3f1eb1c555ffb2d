//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 64), 64>>>(rows, cols, nnz, max_length, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int cols, int nnz, int longest, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int t = blockIdx.x * 64 + threadIdx.x;
    if (!(longest * 100 < nnz && rows < cols && rows > 64)) {
        for (int row = t; row < rows; row += 64 * gridDim.x) { float s = 0; for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]]; y[row] = s; }
        return;
    }
    if (t >= nnz) return;
    int low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= t) low = m; else high = m; }
    // One thread for each entry, and no atomics: only few threads of a row are far enough apart to be seen.
    float s = 0;
    if (t == ptr[low] || threadIdx.x == 0) {
        for (int k = t; k < ptr[low + 1] && k / 64 == t / 64; ++k) s += val[k] * x[col[k]];
        y[low] += s;
    }
}
