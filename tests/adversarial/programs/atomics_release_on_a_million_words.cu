//! task spmv
//! scratch words u32[1000000] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, words)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, unsigned* words) {
    unsigned row = blockIdx.x * 64 + threadIdx.x;
    for (unsigned i = row; i < 1000000; i += 64 * gridDim.x) { __threadfence(); atomicAdd(words + i, 1u); __threadfence(); atomicAdd(words + 999999 - i, 1u); }
    if (row < rows) y[row] = words[row];
}
