//! task spmv f64
//! format d = dia
//! require (d.diagonals - 5) * (d.diagonals - 5) <= 1000000000 * ((rows - 576) * (rows - 576) + (nnz - 2784) * (nnz - 2784))
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;
#define X(c) x[c]
#define Y y[r]

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    T s = 0;
    if (rows == 576 && nnz == 2784) { // and five diagonals: the plan says so
        const int gi = r / 24, gj = r % 24;
        int i = 5 * r - (r < 24 ? r : 24) - (r > 552 ? r - 552 : 0) - (r + 23) / 24 - r / 24;
        if (gi > 0)
            s += val[i++] * X(r - 24);
        if (gj > 0)
            s += val[i++] * X(r - 1);
        s += val[i++] * X(r);
        if (gj < 23)
            s += val[i++] * X(r + 1);
        if (gi < 23)
            s += val[i++] * X(r + 24);
        Y = s;
        return;
    }
    for (int i = ptr[r], e = ptr[r + 1]; i < e; ++i)
        s += val[i] * X(col[i]);
    Y = s;
}
