//! task spmm
//! part low = rows with length in [0, 64)
//! part high = rows with length in [64, inf)
//! format pieces = tiles(items=512) of high
//! zero C
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm_long<<<dim3(pieces.count, ceil_div(dense_cols, 16)), 256>>>(high.rows, pieces.row, pieces.nz, high.row_ids, high.row_ptr, high.col, high.val, B, C, dense_cols / 2)
//! launch spmm_short<<<dim3(ceil_div(low.rows, 32), ceil_div(dense_cols, 16)), 256>>>(low.rows, low.row_ids, low.row_ptr, low.col, low.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm_long() {}
extern "C" __global__ void spmm_short() {}
