//! task spmm
//! format dia
//! scratch whole_vectors u8[0 - dense_cols % 4]
//! launch spmm<<<dim3(ceil_div(rows, 32), ceil_div(dense_cols, 16)), 128>>>(rows, cols, dia.diagonals, dia.offset, dia.val, B, C, dense_cols / 4)
extern "C" __global__ void spmm() {}
