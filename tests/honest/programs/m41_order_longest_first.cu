//! task spmm
//! format order
//! launch longest<<<ceil_div(rows, 4), dim3(32, 4)>>>(rows, dense_cols, order.row_ids, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void longest(int rows, int n, const int* ids, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int w = blockIdx.x * blockDim.y + threadIdx.y;
    if (w >= rows) return;
    const int r = ids[w];
    const int sub = threadIdx.x >> 3, c0 = threadIdx.x & 7;     // four entries at once, eight columns
    for (int c = c0; c - c0 < n; c += 8) {
        float s = 0.f;
        if (c < n) for (int j = rp[r] + sub; j < rp[r + 1]; j += 4) s += va[j] * B[ci[j] * n + c];
        s += __shfl_xor_sync(0xffffffffu, s, 8);
        s += __shfl_xor_sync(0xffffffffu, s, 16);
        if (sub == 0 && c < n) C[r * n + c] = s;
    }
}
