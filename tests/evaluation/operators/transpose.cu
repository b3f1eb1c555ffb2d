//! task   operator
//! launch transpose<<<dim3(ceil_div(x.dim(1), 16), ceil_div(x.dim(0), 16)), dim3(16, 16)>>>(x, out, x.dim(0), x.dim(1))
extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns)
{
    __shared__ float tile[16][17];
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = fmaxf(x[row * columns + column], 0.0f);
    __syncthreads();
    const int toRow = blockIdx.x * 16 + threadIdx.y, toColumn = blockIdx.y * 16 + threadIdx.x;
    if (toRow < columns && toColumn < rows)
        y[toRow * rows + toColumn] = tile[threadIdx.x][threadIdx.y];
}
