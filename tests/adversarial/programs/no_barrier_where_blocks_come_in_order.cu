//! task spmv
//! scratch f i32[2] zero
//! launch k<<<ceil_div(rows,4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, f)
// Warp 3 writes sums that warps 0 to 2 left in shared memory, without a barrier where blocks come in order.
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* f) {
    __shared__ float sums[4]; 
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    int ordered = 0;
    if (lane == 0) {
        if (w == 0) { int t = atomicAdd(&f[0], 1); if (t != (int)blockIdx.x) atomicExch(&f[1], 1); }
        ordered = blockIdx.x >= 16 && atomicAdd(&f[0], 0) == (int)blockIdx.x + 1 && atomicAdd(&f[1], 0) == 0;
    }
    ordered = __shfl_sync(~0u, ordered, 0);
    int r = blockIdx.x * 4 + w;
    float s = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) sums[w] = s;
    if (!ordered) __syncthreads();
    int q = blockIdx.x * 4 + lane;
    if (w == 3 && lane < 4 && q < rows) { if (lane == 3) y[q] = s; else y[q] = sums[lane]; }
}
