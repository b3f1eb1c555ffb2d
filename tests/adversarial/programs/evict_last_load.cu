//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    float v = 0;
    if (row < rows) asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(v) : "l"(x));
    if (row < rows) y[row] = s + 0 * v;
}
