//! task spmm
//! const BLOCK = 128
//! const L = 8
//! const K = 8
//! format coo
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! zero C
//! launch spmm_kernel<<<dim3(ceil_div(ceil_div(nnz, K), BLOCK / L), ceil_div(dense_cols, L * 4)), BLOCK>>>(nnz, coo.row, coo.col, coo.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm_kernel() {}
