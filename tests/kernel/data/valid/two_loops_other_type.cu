//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int r = threadIdx.x; float s = 0; for (int i = 0; i < 4; ++i) s += i; for (long i = 0; i < 4; ++i) s += i; { double i = 1; s += i; } if (r < n) y[r] = s; }
