//! task spmv
//! launch k<<<1, 1>>>(y)
__global__ void k(int a) { int a; }
