//! task spmm
//! const BLOCK = 256
//! const L = 16
//! format order
//! require dense_cols % 4 == 0
//! launch spmm<<<dim3(ceil_div(rows, BLOCK / L), ceil_div(dense_cols, L * 4)), BLOCK>>>(rows, order.row_ids, csr.row_ptr, csr.col, csr.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
