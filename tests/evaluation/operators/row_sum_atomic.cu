//! task   operator
//! zero   out
//! launch sums<<<ceil_div(x.numel, 64), 64>>>(x, out, x.dim(1), x.numel)
extern "C" __global__ void sums(const float* x, float* y, int columns, int count)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        atomicAdd(&y[i / columns], x[i]);
}
