//! task   operator
//! const  THREADS = 128
//! launch choose<<<ceil_div(x.numel, THREADS), THREADS>>>(which, x, y, out, x.numel)
extern "C" __global__ void choose(const bool* which, const float* x, const float* y, float* out, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = which[i] ? x[i] : y[i];
}
