//! task spmv
// A written word and one that nothing has written go through a pair; the sum keeps no bit of it.
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ unsigned nothing[64];
    int r = blockIdx.x;
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (ptr[r + 1] < 0) nothing[threadIdx.x] = 1;
    __syncthreads();
    unsigned a = nothing[0], b;
    asm("{ .reg .b64 pair; .reg .b32 low; mov.b64 pair, {%2, %1}; add.u64 pair, pair, 1; mov.b64 {low, %0}, pair; "
        "and.b32 %0, %0, 0; }" : "=r"(b) : "r"(a), "r"(r));
    s += b;
    if (threadIdx.x == 0) y[r] = s;
}
