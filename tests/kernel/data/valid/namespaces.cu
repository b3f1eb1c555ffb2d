//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
namespace tools { __device__ int one() { return 1; } namespace deep { constexpr int two = 2; } }
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { using namespace tools; y[0] = one() + tools::deep::two; }
