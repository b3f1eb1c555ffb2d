//! task spmv
//! launch k<<<1, 1>>>(y)
#define BEGIN {
__global__ void k() BEGIN }
