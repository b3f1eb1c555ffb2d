//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { float q = fmaf(sinf(x[0]), __fdividef(1.f, 3.f), rsqrtf(2.f)); q = fmaxf(q, -1e30f); int w = min(max(n, 1), __clz(5)); y[0] = q + w + __float_as_int(q) + warpSize + __CUDA_ARCH__; }
