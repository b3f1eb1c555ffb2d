//! task spmm
//! format order
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(ceil_div(rows, 8), ceil_div(dense_cols, 128)), 256>>>(rows, order.row_ids, csr.row_ptr, csr.col, csr.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
