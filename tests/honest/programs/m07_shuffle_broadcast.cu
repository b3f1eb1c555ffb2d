//! task spmm
//! launch broadcast<<<ceil_div(rows, 4), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void broadcast(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const unsigned FULL = 0xffffffffu;
    const int lane = threadIdx.x & 31, r = blockIdx.x * 4 + (threadIdx.x >> 5);
    if (r >= rows) return;
    const int b = rp[r], e = rp[r + 1];
    for (int c0 = 0; c0 < n; c0 += 32) {
        float acc = 0.f;
        for (int j0 = b; j0 < e; j0 += 32) {
            // 32 entries are loaded together, then handed round
            int   c = j0 + lane < e ? ci[j0 + lane] : 0;
            float v = j0 + lane < e ? va[j0 + lane] : 0.f;
            const int m = min(32, e - j0);
            for (int k = 0; k < m; ++k) {
                const int cc = __shfl_sync(FULL, c, k);
                const float vv = __shfl_sync(FULL, v, k);
                if (c0 + lane < n) acc += vv * B[cc * n + c0 + lane];
            }
        }
        if (c0 + lane < n) C[r * n + c0 + lane] = acc;
    }
}
