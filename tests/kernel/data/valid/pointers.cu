//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { const float* __restrict__ a = v, *const b = x; const float4* f = reinterpret_cast<const float4*>(v); const int *e = &p[1]; float* const o = y; float (*g)[2] = (float (*)[2])y; o[0] = a[0] + b[0] + *e + (g == nullptr); if (n < 0) o[1] = f->x + (*f).y; }
