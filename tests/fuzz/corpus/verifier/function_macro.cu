//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#define LD(a, i) __ldg((a) + (i))
#define FOR(i, b, e) for (int i = (b); i < (e); ++i) {
#define END }
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int r = threadIdx.x; if (r < n) { float s = 0; FOR(i, p[r], p[r + 1]) s += LD(v, i) * LD(x, c[i]); END y[r] = s; } }
