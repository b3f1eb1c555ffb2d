//! task spmv
// Nothing has written either of two words, whichever is chosen; then no bit of it is left.
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ unsigned nothing[64];
    int r = blockIdx.x;
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (ptr[r + 1] < 0) nothing[threadIdx.x] = 1;
    __syncthreads();
    unsigned a = nothing[0], b = nothing[1];
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 99; selp.b32 %0, %2, %3, p; and.b32 %0, %0, 0; }"
        : "=r"(a) : "r"(r), "r"(a), "r"(b));
    s += a;
    if (threadIdx.x == 0) y[r] = s;
}
