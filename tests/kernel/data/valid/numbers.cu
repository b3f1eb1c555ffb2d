//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { float a = 1e-3f, b = .5f, d = 0x1p-2f, e = 1'000.0f; long long z = 0x7fff'ffffLL; unsigned m = 0b1010u; y[0] = a + b + d + e + z + m + 1.f + 2.e+1f; }
