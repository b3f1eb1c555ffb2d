//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
struct P { int a; float b; };
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { P q{1, 2.f}; auto [a, b] = q; y[0] = a * b; }
