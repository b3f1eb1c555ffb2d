//! task spmm
//! const BLOCK = 64
//! const L = 2
//! const P = 4
//! const Q = 32
//! const U = 1
//! part low = rows with length in [0, 256)
//! part high = rows with length in [256, inf)
//! format pieces = tiles(items=2048) of high
//! zero C
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(pieces.count + ceil_div(low.rows, BLOCK / (L * P)), ceil_div(dense_cols, L * 2)), BLOCK>>>(pieces.count, low.rows, low.row_ids, low.row_ptr, low.col, low.val, high.rows, pieces.row, pieces.nz, high.row_ids, high.row_ptr, high.col, high.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
