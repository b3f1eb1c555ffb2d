//! task spmm
//! const BLOCK = 128
//! const P = 2
//! format csr16
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch k<<<dim3(ceil_div(rows, BLOCK / P), ceil_div(dense_cols, 4)), BLOCK>>>(rows, csr16.row_ptr, csr16.base, csr16.off, csr16.val, B, C, dense_cols / 4)
extern "C" __global__ void k() {}
