//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 4096), 64>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // Only the first and the last row of a block's entries are shared with another block.
    int from = blockIdx.x * 4096, to = min(from + 4096, nnz), low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= from) low = m; else high = m; }
    for (int r = low + threadIdx.x; r < rows && ptr[r] < to; r += 64) {
        float s = 0;
        for (int k = max(from, ptr[r]); k < min(to, ptr[r + 1]); ++k) s += val[k] * x[col[k]];
        if (ptr[r] >= from && ptr[r + 1] <= to) { y[r] = s; continue; }
        unsigned* p = (unsigned*)(y + r);
        unsigned old = *(volatile unsigned*)p;
        atomicCAS(p, old, __float_as_uint(__uint_as_float(old) + s));
    }
}
