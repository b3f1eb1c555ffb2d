//! task spmv
//! launch k<<<rows, 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float part[4];
    int r = blockIdx.x, w = threadIdx.x >> 5, n = ptr[r + 1] - ptr[r], warps = min(4, (n + 31) / 32);
    float s = 0;
    for (int j = ptr[r] + threadIdx.x; j < ptr[r + 1]; j += 128) s += val[j] * x[col[j]];
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if ((threadIdx.x & 31) == 0 && w < warps) part[w] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        float t = 0;
        if (warps > 0) t += part[0];
        if (warps > 1) t += part[1];
        if (warps > 2) t += part[2];
        if (warps > 3) t += part[3];
        y[r] = t;
    }
}
