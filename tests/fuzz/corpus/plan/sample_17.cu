//! task spmm
//! const BLOCK = 256
//! const L = 2
//! const P = 2
//! const R = 16
//! const Q = 128
//! part low = rows with length in [0, 16)
//! part mid = rows with length in [16, 64)
//! part high = rows with length in [64, inf)
//! format low_ell = ell of low
//! format mid_ell = ell of mid
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(high.rows + ceil_div(mid.rows, BLOCK / (L * R)) + ceil_div(low.rows, BLOCK / (L * P)), ceil_div(dense_cols, L * 2)), BLOCK>>>(high.rows, ceil_div(mid.rows, BLOCK / (L * R)), low.rows, low_ell.width, low.row_ids, low_ell.col, low_ell.val, mid.rows, mid_ell.width, mid.row_ids, mid_ell.col, mid_ell.val, high.row_ids, high.row_ptr, high.col, high.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
