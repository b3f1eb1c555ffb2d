//! task   operator
//! launch add<<<dim3(ceil_div(x.dim(1), 32), x.dim(0)), 32>>>(x, layer.0.bias, out, x.dim(1))
extern "C" __global__ void add(const float* x, const float* bias, float* y, int columns)
{
    const int column = blockIdx.x * 32 + threadIdx.x;
    if (column < columns)
        y[blockIdx.y * columns + column] = x[blockIdx.y * columns + column] + bias[column];
}
