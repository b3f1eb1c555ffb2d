//! task spmm
//! launch table<<<ceil_div(rows, 32), dim3(8, 32)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
// columns are visited in bit-reversed order, for no good reason
static constexpr int kOrder[8] = {0, 4, 2, 6, 1, 5, 3, 7};
__device__ __constant__ float kScale[2] = {1.0f, 1.0f};
extern "C" __global__ void table(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    static const int kBlock = 8;
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows) return;
    for (int base = 0; base < n; base += kBlock) {
        const int c = base + kOrder[threadIdx.x];
        if (c >= n) continue;
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];
        C[r * n + c] = s * kScale[c & 1];
    }
}
