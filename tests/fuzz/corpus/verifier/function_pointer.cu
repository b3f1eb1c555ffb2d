//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { float (*f)(float) = n > 0 ? sinf : cosf; float (*g)(float) = tanf; auto h = expf; y[0] = f(x[0]) + g(x[0]) + h(x[0]); }
