//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
struct V { float a; };
__device__ V operator+(V l, V r) { return {l.a + r.a}; }
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { V q = V{1} + V{2}; y[0] = q.a; }
