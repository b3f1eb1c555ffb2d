//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { extern __device__ float helper(float); y[0] = 1; }
