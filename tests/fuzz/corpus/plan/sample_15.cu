//! task spmm
//! const BLOCK = 128
//! const L = 2
//! const P = 64
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(rows, ceil_div(dense_cols, L * 4)), BLOCK>>>(csr.row_ptr, csr.col, csr.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
