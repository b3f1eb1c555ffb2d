//! task spmv
//! scratch words u32[1000000] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, words)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, unsigned* words) {
    unsigned row = blockIdx.x * 64 + threadIdx.x, at = row;
    // Every word becomes one that the race detector has to remember.
    for (int i = 0; i < 4000; ++i) { at = at * 1664525u + 1013904223u; atomicAdd(words + at % 1000000, 1u); }
    if (row < rows) y[row] = words[row];
}
