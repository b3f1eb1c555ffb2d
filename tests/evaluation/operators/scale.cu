//! task     operator
//! prepared order i32[x.numel]
//! prepare  reversed<<<ceil_div(x.numel, 64), 64>>>(order, x.numel)
//! launch   scale<<<ceil_div(x.numel, 64), 64>>>(x, s, order, out, x.numel)
extern "C" __global__ void reversed(int* order, int count)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        order[i] = count - 1 - i;
}
extern "C" __global__ void scale(const float* x, const float* s, const int* order, float* y, int count)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < count)
        y[order[i]] = *s * x[order[i]];
}
