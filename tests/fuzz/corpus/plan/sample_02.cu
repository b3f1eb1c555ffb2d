//! task spmm
//! const BLOCK = 128
//! const L = 8
//! const Q = 16
//! part low = rows with length in [0, 128)
//! part high = rows with length in [128, inf)
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(high.rows + ceil_div(low.rows, BLOCK / L), ceil_div(dense_cols, L * 4)), BLOCK>>>(high.rows, low.rows, low.row_ids, low.row_ptr, low.col, low.val, high.row_ids, high.row_ptr, high.col, high.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
