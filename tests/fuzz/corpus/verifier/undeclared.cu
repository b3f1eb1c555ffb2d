//! task spmv
//! launch k<<<1, 1>>>(y)
__global__ void k(float* y) { y[0] = z; }
