//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
struct Pair { float value; int index; __device__ float get() const { return value; } };
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { Pair q; q.value = 1; q.index = 2; Pair* w = &q; w->value += w->index; y[0] = q.get(); }
