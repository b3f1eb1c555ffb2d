//! task spmv
//! const BLOCK = 512
//! format csr16
//! launch spmv<<<ceil_div(rows, BLOCK), BLOCK>>>(rows, csr16.row_ptr, csr16.base, csr16.off, csr16.val, x, y, nnz)
extern "C" __global__ void spmv() {}
