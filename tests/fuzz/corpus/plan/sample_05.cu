//! task spmm
//! const BLOCK = 128
//! const L = 8
//! const P = 4
//! format panels(width=4096)
//! scratch whole_vectors u8[0 - dense_cols % 2]
//! launch spmm<<<dim3(ceil_div(rows, BLOCK / (L * P)), ceil_div(dense_cols, L * 2)), BLOCK>>>(rows, panels.count, panels.row_ptr, panels.col, panels.val, B, C, dense_cols / 2)
extern "C" __global__ void spmm() {}
