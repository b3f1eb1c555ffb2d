//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) {
        unsigned a, b;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a) : "f"(val[k]));
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(b) : "f"(x[col[k]]));
        s += __uint_as_float(a) * __uint_as_float(b);
    }
    if (row < rows) y[row] = s;
}
