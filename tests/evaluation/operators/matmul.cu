//! task   operator
//! launch product<<<dim3(ceil_div(b.dim(1), 8), ceil_div(a.dim(0), 8)), dim3(8, 8)>>>(a, b, out, a.dim(0), a.dim(1), b.dim(1))
extern "C" __global__ void product(const float* a, const float* b, float* y, int m, int k, int n)
{
    __shared__ float left[8][8], right[8][8];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += 8) {
        const int along = start + threadIdx.x, down = start + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && along < k ? a[row * k + along] : 0;
        right[threadIdx.y][threadIdx.x] = down < k && column < n ? b[down * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 8; ++i)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        y[row * n + column] = sum;
}
