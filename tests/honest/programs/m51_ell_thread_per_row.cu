//! task spmm
//! format ell
//! launch spmm<<<ceil_div(rows, 128), 128>>>(rows, dense_cols, ell.width, ell.col, ell.val, B, C)
// A thread sums all columns of its row, padding included.
extern "C" __global__ void spmm(int rows, int n, int width, const int* col, const float* val, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int base = 0; base < n; base += 8) {
        float sum[8] = {};
        for (int k = 0; k < width; ++k) {
            const float v = val[k * rows + r];
            const float* b = B + (long long)col[k * rows + r] * n + base;
#pragma unroll
            for (int c = 0; c < 8; ++c)
                if (base + c < n) sum[c] += v * b[c];
        }
#pragma unroll
        for (int c = 0; c < 8; ++c)
            if (base + c < n) C[r * n + base + c] = sum[c];
    }
}
