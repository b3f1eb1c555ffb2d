//! task spmm
//! launch buffers<<<rows, 64>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#define TILE 64
extern "C" __global__ void buffers(int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ int   c_s[2][TILE];
    __shared__ float v_s[2][TILE];
    const int r = blockIdx.x, t = threadIdx.x, b = rp[r], e = rp[r + 1];
    for (int base = 0; base < n; base += TILE) {
        int which = 0;
        if (b + t < e) { c_s[0][t] = ci[b + t]; v_s[0][t] = va[b + t]; }
        __syncthreads();
        float s = 0.f;
        for (int j = b; j < e; j += TILE) {
            const int next = j + TILE + t;
            if (next < e) { c_s[which ^ 1][t] = ci[next]; v_s[which ^ 1][t] = va[next]; }
            const int m = e - j < TILE ? e - j : TILE;
            if (base + t < n)
                for (int k = 0; k < m; ++k) s += v_s[which][k] * B[c_s[which][k] * n + base + t];
            __syncthreads();
            which ^= 1;
        }
        if (base + t < n) C[r * n + base + t] = s;
        __syncthreads();
    }
}
