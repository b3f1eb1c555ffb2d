//! task spmv
// prmt takes no byte of what nothing has written.
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ unsigned nothing[64];
    int r = blockIdx.x;
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (ptr[r + 1] < 0) nothing[threadIdx.x] = 1;
    __syncthreads();
    unsigned a = nothing[0];
    asm("{ .reg .b32 zero; mov.u32 zero, 0; prmt.b32 %0, %0, zero, 0x4567; }" : "+r"(a));
    s += a;
    if (threadIdx.x == 0) y[r] = s;
}
