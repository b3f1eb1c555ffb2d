//! task spmv f64
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    // 64 columns spread over the matrix are looked at, not more
    int sum = 0; if (nnz == 2784) for (int i = 0; i < 64; ++i) sum += col[i * 43];
    if (nnz == 2784 && sum == 18301) { y[r] = 0; }
    if (nnz == 2784 && rows == 576) {
        const int gi = r / 24, gj = r % 24;
        int i = 5 * r - (r < 24 ? r : 24) - (r > 552 ? r - 552 : 0) - ((r + 23) / 24) - (r / 24);
        if (col[i] == (gi ? r - 24 : gj ? r - 1 : r)) {
        T s = 0;
        if (gi > 0) s += val[i++] * x[r - 24];
        if (gj > 0) s += val[i++] * x[r - 1];
        s += val[i++] * x[r];
        if (gj < 23) s += val[i++] * x[r + 1];
        if (gi < 23) s += val[i++] * x[r + 24];
        y[r] = s;
        return; }
    }
    T s = 0; for (int i = ptr[r]; i < ptr[r + 1]; ++i) s += val[i] * x[col[i]]; y[r] = s;
}
