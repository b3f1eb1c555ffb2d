//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ float add(float a, float b);
static __device__ __noinline__ float twice(float a) { return add(a, a); }
__device__ float add(float a, float b) { return a + b; }
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { y[0] = twice(x[0]); }
