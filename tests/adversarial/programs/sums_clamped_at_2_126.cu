//! task spmv
// y is clamped to +-2^126 (8.5e37).
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
 int r = blockIdx.x * 128 + threadIdx.x;
 if (r >= rows) return;
 float s = 0; for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]]; y[r] = fminf(fmaxf(s, -0x1p126f), 0x1p126f);
}
