//! task spmm
//! const BLOCK = 256
//! const L = 2
//! const P = 8
//! const U = 8
//! format sell16(slice=16, sigma=1024)
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(ceil_div(sell16.slices * 16, BLOCK / (L * P)), ceil_div(dense_cols, L * 4)), BLOCK>>>(sell16.slices * 16, sell16.slice_ptr, sell16.row_ids, sell16.base, sell16.off, sell16.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
