//! task spmv
//! const A = 9223372036854775807
//! const B2 = A + 1
//! launch k<<<1, 1>>>(y)
extern "C" __global__ void k() {}
