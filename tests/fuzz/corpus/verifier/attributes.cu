//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void __launch_bounds__(128, 2) k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { [[maybe_unused]] int a = 1; int r = threadIdx.x; if (r < n) [[likely]] y[r] = 0; static_assert(sizeof(float) == 4, "4 bytes"); }
