//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#define FULL 0xffffffff
#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int r = ROW; if (r < n) y[r] = __popc(FULL); }
