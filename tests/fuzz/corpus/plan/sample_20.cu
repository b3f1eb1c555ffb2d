//! task spmm
//! const BLOCK = 512
//! const L = 32
//! format order
//! launch spmm<<<dim3(ceil_div(rows, BLOCK / L), ceil_div(dense_cols, L)), BLOCK>>>(rows, order.row_ids, csr.row_ptr, csr.col, csr.val, B, C, dense_cols)
extern "C" __global__ void spmm() {}
