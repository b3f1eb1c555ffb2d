//! task   operator
//! const  THREADS = 128
//! launch relu<<<ceil_div(x.numel, THREADS), THREADS>>>(x, out, x.numel)
extern "C" __global__ void relu(const float* x, float* y, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        y[i] = fmaxf(x[i], 0.0f);
}
