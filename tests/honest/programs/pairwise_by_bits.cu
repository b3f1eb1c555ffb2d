//! task spmv
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
 int r = blockIdx.x * 128 + threadIdx.x;
 if (r >= rows) return;
 float lv[32]; float s = 0; unsigned n = 0; for (int j = ptr[r]; j < ptr[r + 1]; ++j) { float p = val[j] * x[col[j]]; unsigned k = 0, m = n; while (m & 1) { p += lv[k]; ++k; m >>= 1; } lv[k] = p; ++n; } for (unsigned k = 0; k < 32; ++k) if (n >> k & 1) s += lv[k]; y[r] = s;
}
