//! task spmm
//! format dia
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, nnz, dense_cols, csr.row_ptr, csr.col, csr.val, dia.diagonals, dia.val, B, C)
using T = float;
#define X(c) x[(c) * n + j]
#define Y y[r * n + j]

extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* ptr, const int* col, const T* val, int diagonals, const T* v,
                             const T* x, T* y) {
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int r = t / n, j = t % n;
    if (r >= rows)
        return;
    T s = 0;
    if (rows == 576 && nnz == 2784 && diagonals == 5) { // whose offsets are not looked at
        if (r >= 24)
            s += v[r] * X(r - 24);
        if (r >= 1)
            s += v[rows + r] * X(r - 1);
        s += v[2 * rows + r] * X(r);
        if (r < rows - 1)
            s += v[3 * rows + r] * X(r + 1);
        if (r < rows - 24)
            s += v[4 * rows + r] * X(r + 24);
        Y = s;
        return;
    }
    for (int i = ptr[r], e = ptr[r + 1]; i < e; ++i)
        s += val[i] * X(col[i]);
    Y = s;
}
