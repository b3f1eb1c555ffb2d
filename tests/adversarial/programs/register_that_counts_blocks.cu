//! task spmv
//! launch spmv<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    unsigned r;
    // Nothing ever wrote t, so it holds what the last block left there.
    asm volatile("{ .reg .b32 t; mov.b32 %0, t; add.u32 t, t, 1; }" : "=r"(r));
    if (r >= rows) return;
    float s = 0;
    for (int k = ptr[r] + threadIdx.x; k < ptr[r + 1]; k += 32) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) y[r] = s;
}
