//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int r = 3; do { --r; } while (r > 0); do --r; while (r > -3); for (;;) { if (r) break; else continue; } y[0] = r; }
