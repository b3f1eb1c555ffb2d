//! task spmv
//! launch k<<<nnz - nnz, 2000>>>(y)
extern "C" __global__ void k() {}
