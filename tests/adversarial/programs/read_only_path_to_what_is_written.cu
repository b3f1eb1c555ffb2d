//! task spmv
//! scratch part f32[nnz + 1]
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, part)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) part[k] = val[k] * x[col[k]];
    float s = 0;
    // ld.global.nc of words that this very kernel writes: the read-only cache need not see them.
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) { float v; asm("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(part + k)); s += v; }
    y[row] = s;
}
