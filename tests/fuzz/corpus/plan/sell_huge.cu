//! task spmv
//! format sell(slice=2147483647, sigma=2147483647)
//! launch k<<<1, 1>>>(sell.col, y)
extern "C" __global__ void k() {}
