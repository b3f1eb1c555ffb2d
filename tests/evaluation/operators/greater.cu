//! task   operator
//! const  THREADS = 128
//! launch greater<<<ceil_div(x.numel, THREADS), THREADS>>>(x, y, out, x.numel)
extern "C" __global__ void greater(const float* x, const float* y, bool* out, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = x[i] > y[i];
}
