//! task spmm
//! zero C
//! launch split_k<<<dim3(ceil_div(rows, 16), 2), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void split_k(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    const int mid = rp[r] + (rp[r + 1] - rp[r]) / 2;
    const int b = blockIdx.y == 0 ? rp[r] : mid;
    const int e = blockIdx.y == 0 ? mid : rp[r + 1];
    if (b == e) return;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int j = b; j < e; ++j) s += va[j] * B[ci[j] * n + c];
        atomicAdd(C + r * n + c, s);
    }
}
