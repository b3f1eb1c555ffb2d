//! task spmv
//! launch windowed<<<ceil_div(rows, 64), 64>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y)
#define WINDOW 128
extern "C" __global__ void windowed(int rows, int cols, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    __shared__ float xs[WINDOW];
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    int j = r < rows ? rp[r] : 0;
    const int e = r < rows ? rp[r + 1] : 0;
    float s = 0.f;
    for (int w = 0; w < cols; w += WINDOW) {
        // stage a window of x
        for (int i = threadIdx.x; i < WINDOW; i += blockDim.x)
            if (w + i < cols) xs[i] = x[w + i];
        __syncthreads();
        for (; j < e && ci[j] < w + WINDOW; ++j) s += va[j] * xs[ci[j] - w];
        __syncthreads();
    }
    if (r < rows) y[r] = s;
}
