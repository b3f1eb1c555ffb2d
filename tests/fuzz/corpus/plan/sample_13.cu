//! task spmm
//! const BLOCK = 128
//! const L = 2
//! const P = 64
//! const K = 2
//! format dense
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(ceil_div(rows, K), ceil_div(dense_cols, L * 2)), BLOCK>>>(rows, cols, dense.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
