//! task spmv
// Lengths by pairs of rows, also for the last one.
//! launch k<<<ceil_div(rows, 256), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = 2 * (blockIdx.x * 128 + threadIdx.x);
    if (r >= rows) return;
    const int a = ptr[r], b = ptr[r + 1], c = ptr[r + 2];
    float s = 0, t = 0;
    for (int j = a; j < b; ++j) s += val[j] * x[col[j]];
    for (int j = b; j < c && r + 1 < rows; ++j) t += val[j] * x[col[j]];
    y[r] = s;
    if (r + 1 < rows) y[r + 1] = t;
}
