//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { float s = 0; for (int i = threadIdx.x; i < n; i += blockDim.x) switch (i & 3) { case 0: s += 1; break; case 1: case 2: s += 2; default: { s += 3; } } y[0] = s; }
