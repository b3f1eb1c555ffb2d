//! task spmv
// What nothing has written says how much of x is copied to where nobody looks.
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ unsigned nothing[64];
    int r = blockIdx.x;
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (ptr[r + 1] < 0) nothing[threadIdx.x] = 1;
    __syncthreads();
    __shared__ float copied[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(copied + threadIdx.x);
    asm volatile("{ .reg .b32 n; and.b32 n, %2, 4; cp.async.ca.shared.global [%0], [%1], 4, n; cp.async.wait_all; }"
                 :: "r"(to), "l"(x), "r"(nothing[0]) : "memory");
    if (threadIdx.x == 0) y[r] = s;
}
