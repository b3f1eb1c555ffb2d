//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { if (int r = threadIdx.x; r < n) y[r] = 0; while (int q = n - n) { y[q] = 1; } switch (int z = n; z) { default: y[0] = z; } }
