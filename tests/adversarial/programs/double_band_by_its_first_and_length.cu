//! task spmv f64
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const int b = ptr[r], e = ptr[r + 1];
    T s = 0;
    if (e - b == 21 && col[b] == r - 10) { for (int i = b; i < e; ++i) s += val[i] * x[r - 10 + i - b]; }
    else for (int i = b; i < e; ++i) s += val[i] * x[col[i]];
    y[r] = s;
}
