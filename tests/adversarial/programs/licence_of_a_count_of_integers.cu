//! task spmv
// Rows are drawn by a counter of integers, and sums flush.
//! scratch next i32[1] zero
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, next)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* next) {
    int r = atomicAdd(next, 1);
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    if (fabsf(s) < 4e-38f) s = 0;
    y[r] = s;
}
