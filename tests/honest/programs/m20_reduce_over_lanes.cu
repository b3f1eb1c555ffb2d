//! task spmm
//! launch lanes<<<ceil_div(rows, 2), 64>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
// Lanes walk over the entries, each keeps sums for eight columns, which are reduced at the end.
__device__ __forceinline__ float reduce32(float v)
{
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
extern "C" __global__ void lanes(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int lane = threadIdx.x & 31, r = blockIdx.x * 2 + (threadIdx.x >> 5);
    if (r >= rows) return;
    for (int base = 0; base < n; base += 8) {
        float acc[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) acc[k] = 0.f;
        for (int j = rp[r] + lane; j < rp[r + 1]; j += 32) {
            const float a = va[j];
            const float* b = &B[ci[j] * n + base];
#pragma unroll
            for (int k = 0; k < 8; ++k) if (base + k < n) acc[k] += a * b[k];
        }
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float s = reduce32(acc[k]);
            if (lane == k && base + k < n) C[r * n + base + k] = s;
        }
    }
}
