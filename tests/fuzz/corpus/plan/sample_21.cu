//! task spmm
//! format tiles(items=64)
//! zero C
//! launch spmm<<<dim3(ceil_div(tiles.count, 64), ceil_div(dense_cols, 2)), 512>>>(rows, tiles.count, tiles.row, tiles.nz, csr.row_ptr, csr.col, csr.val, B, C, dense_cols)
extern "C" __global__ void spmm() {}
