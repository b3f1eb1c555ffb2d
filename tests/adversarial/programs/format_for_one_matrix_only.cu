//! task spmv
//! format big = bsr(block=4101)
//! zero y
//! launch spmv<<<ceil_div(nnz, 32), 32>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // Thread 0 of each block adds plainly to rows that two blocks share.
    if (threadIdx.x) return;
    int k = blockIdx.x * 32, to = min(k + 32, nnz), low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= k) low = m; else high = m; }
    float s = 0;
    for (; k < to; ++k) { while (k >= ptr[low + 1]) { y[low] += s; s = 0; ++low; } s += val[k] * x[col[k]]; }
    y[low] += s;
}
