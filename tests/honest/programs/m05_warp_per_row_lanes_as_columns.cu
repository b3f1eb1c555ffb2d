//! task spmm
//! launch warp_row<<<ceil_div(rows, 4), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
static const int WARP_SIZE = 32;
extern "C" __global__ void warp_row(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    const int lane = threadIdx.x % WARP_SIZE;
    if (warp >= rows) return;
    const int start = rp[warp], end = rp[warp + 1];
    for (int c = lane; c < n; c += WARP_SIZE) {
        float s = 0.f;
        for (int j = start; j < end; ++j) s += va[j] * B[(long long)ci[j] * n + c];
        C[(long long)warp * n + c] = s;
    }
}
