//! task spmm
//! const BLOCK = 64
//! launch spmm<<<ceil_div(rows * ceil_div(dense_cols, 4), BLOCK), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, B, C, dense_cols, ceil_div(dense_cols, 4))
extern "C" __global__ void spmm() {}
