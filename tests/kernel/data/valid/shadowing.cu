//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int n2 = n; { float n = 2; y[0] = n; } for (int x = 0; x < 1; ++x) { y[0] += x; { float x = 1; y[0] += x; } } y[0] += n2; }
