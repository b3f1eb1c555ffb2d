//! task spmv
//! scratch flag u32[64 * ceil_div(rows, 64)] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, flag)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, unsigned* flag) {
    int row = blockIdx.x * 64 + threadIdx.x;
    unsigned v, sum = 0;
    for (int i = 0; i < 3000; ++i) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag + row), "r"(i) : "memory");
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(flag + (row + i) % (64 * gridDim.x)) : "memory");
        sum += v;
    }
    if (row < rows) y[row] = sum;
}
