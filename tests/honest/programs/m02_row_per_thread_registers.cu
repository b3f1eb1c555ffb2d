//! task spmm
//! launch row_regs<<<ceil_div(rows, 64), 64>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
constexpr int CHUNK = 8;
extern "C" __global__ void row_regs(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int base = 0; base < n; base += CHUNK) {
        float acc[CHUNK] = {0.f};
        for (int j = rp[r]; j < rp[r + 1]; ++j) {
            const float a = va[j];
            const float* b = B + (size_t)ci[j] * n + base;
            #pragma unroll
            for (int k = 0; k < CHUNK; ++k)
                if (base + k < n) acc[k] += a * b[k];
        }
        #pragma unroll
        for (int k = 0; k < CHUNK; ++k)
            if (base + k < n) C[(size_t)r * n + base + k] = acc[k];
    }
}
