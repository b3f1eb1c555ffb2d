//! task spmm
//! const BLOCK = 128
//! const L = 2
//! const P = 4
//! format sell(slice=8, sigma=64)
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(ceil_div(sell.slices * 8, BLOCK / (L * P)), ceil_div(dense_cols, L * 2)), BLOCK>>>(sell.slices * 8, sell.slice_ptr, sell.row_ids, sell.col, sell.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
