//! task spmv
//! launch k<<<rows, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// One warp suffices for rows of up to 32 entries: no barrier. Without `volatile` the compiler would load the
// other warp's sum in any case, while it is stored.
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float other;
    int r = blockIdx.x, n = ptr[r + 1] - ptr[r], lane = threadIdx.x & 31;
    bool both = n > 32;
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 64) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x == 32) other = s;
    if (both) __syncthreads();
    if (threadIdx.x == 0) y[r] = both ? s + *(volatile float*)&other : s;
}
