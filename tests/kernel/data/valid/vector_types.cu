//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { float4 a = make_float4(1, 2, 3, 4); int2 b{1, 2}; dim3 d(1, 2); uchar4 u = {1, 2, 3, 4}; float2 w = {}; y[0] = a.x + b.y + d.z + u.w + w.x; }
