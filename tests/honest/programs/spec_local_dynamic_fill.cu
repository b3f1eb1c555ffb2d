//! task spmv
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
 int r = blockIdx.x * 128 + threadIdx.x;
 if (r >= rows) return;
 float a[4]; int k = 0; float s = 0; for (int j = ptr[r]; j < ptr[r + 1]; ++j) { a[k++] = val[j] * x[col[j]]; if (k == 4) { s += (a[0] + a[1]) + (a[2] + a[3]); k = 0; } } if (k > 0) s += a[0]; if (k > 1) s += a[1]; if (k > 2) s += a[2]; y[r] = s;
}
