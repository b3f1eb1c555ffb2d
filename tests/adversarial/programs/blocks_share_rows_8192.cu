//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 8192), 32>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // Each block has its share of the entries and adds to the rows that it shares with others.
    int from = blockIdx.x * 8192, to = min(from + 8192, nnz), low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= from) low = m; else high = m; }
    for (int r = low + threadIdx.x; r < rows && ptr[r] < to; r += 32) {
        float s = 0;
        for (int k = max(from, ptr[r]); k < min(to, ptr[r + 1]); ++k) s += val[k] * x[col[k]];
        y[r] = y[r] + s;
    }
}
