//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { auto f = [&](int i) { return v[i] * x[c[i]]; }; int r = threadIdx.x; if (r < n) { float s = 0; for (int i = p[r]; i < p[r + 1]; ++i) s += f(i); y[r] = s; } }
