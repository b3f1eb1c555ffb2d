//! task spmm
//! const BLOCK = 128
//! const L = 4
//! const P = 4
//! const U = 4
//! format ell
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(ceil_div(rows, BLOCK / (L * P)), ceil_div(dense_cols, L * 2)), BLOCK>>>(rows, ell.width, ell.col, ell.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
