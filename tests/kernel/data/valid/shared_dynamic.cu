//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { extern __shared__ float s[]; __shared__ int q[2][T], w; s[0] = 1; q[1][0] = 2; w = 3; y[0] = s[0] + q[1][0] + w; }
