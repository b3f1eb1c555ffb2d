//! task spmv
//! zero y
//! launch small<<<max(0, 1 - rows / 400), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
//! launch large<<<min(1, rows / 400) * ceil_div(nnz, 32), 32>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void small(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    for (int row = threadIdx.x; row < rows; row += 64) { float s = 0; for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]]; y[row] = s; }
}
extern "C" __global__ void large(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    if (threadIdx.x) return;
    int k = blockIdx.x * 32, to = min(k + 32, nnz), low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= k) low = m; else high = m; }
    float s = 0;
    for (; k < to; ++k) { while (k >= ptr[low + 1]) { y[low] += s; s = 0; ++low; } s += val[k] * x[col[k]]; }
    y[low] += s;
}
