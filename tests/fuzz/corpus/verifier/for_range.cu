//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
struct R { int a[3]; };
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int a[] = {1, 2, 3}; int s = 0; for (int q : a) s += q; y[0] = s; }
