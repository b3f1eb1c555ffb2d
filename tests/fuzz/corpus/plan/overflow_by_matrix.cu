//! task spmv
//! launch k<<<rows * 9223372036854775807, 1>>>(y)
extern "C" __global__ void k() {}
