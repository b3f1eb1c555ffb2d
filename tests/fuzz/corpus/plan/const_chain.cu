//! task spmv
//! const A = 1 + 2 * 3
//! const B2 = A * (A - 1) / 2 % 5
//! const C3 = min(A, max(B2, pow2_ceil(9)))
//! launch k<<<ceil_div(rows, 128), 128, C3 * 4>>>(csr.row_ptr, x, y, C3)
extern "C" __global__ void k() {}
