//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
enum Mode { Plain, Fast = 3 };
typedef unsigned int word;
using real = float;
union Bits { float f; word u; };
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { Bits b; b.f = x[0]; real q = b.u & Fast; y[0] = q + Plain; }
