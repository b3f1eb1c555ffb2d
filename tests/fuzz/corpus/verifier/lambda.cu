//! task spmv
//! launch k<<<1, 1>>>(y)
__device__ int f(int a) { auto g = [&](int b) { return a + b; }; return g(1); }
