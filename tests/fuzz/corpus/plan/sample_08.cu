//! task spmm
//! format sell(slice=16, sigma=256)
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(ceil_div(sell.slices * 16, 32), ceil_div(dense_cols, 8)), 128>>>(sell.slices * 16, sell.slice_ptr, sell.row_ids, sell.col, sell.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
