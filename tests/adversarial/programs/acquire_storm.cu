//! task spmv
//! scratch flag i32[4096] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, flag)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* flag) {
    int row = blockIdx.x * 64 + threadIdx.x;
    // Everybody learns of everybody, over and over.
    for (int i = 0; i < 600; ++i) { atomicAdd(&flag[(i * 61 + row) & 4095], 1); __threadfence(); }
    if (row < rows) y[row] = atomicAdd(&flag[row & 4095], 0);
}
