//! task spmm
//! const BLOCK = 128
//! const L = 2
//! const P = 64
//! const K = 4
//! format dense
//! launch spmm<<<dim3(ceil_div(rows, K), ceil_div(dense_cols, L)), BLOCK>>>(rows, cols, dense.val, B, C, dense_cols)
extern "C" __global__ void spmm() {}
