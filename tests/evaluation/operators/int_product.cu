//! task   operator
//! const  THREADS = 128
//! launch product<<<ceil_div(x.numel, THREADS), THREADS>>>(x, y, out, x.numel)
extern "C" __global__ void product(const int* x, const int* y, int* out, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = x[i] * y[i];
}
