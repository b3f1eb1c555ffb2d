// a comment

//! task spmv
//! launch k<<<1, 1>>>(y)
extern "C" __global__ void k() {}
