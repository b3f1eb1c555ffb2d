//! task spmv
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, 1e-5f, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, float eps, const int* p, const int* c, const float* v, const float* x, float* y) { int r = threadIdx.x; if (r < n) y[r] = eps > 0.0f ? 1.0f : -eps; }
