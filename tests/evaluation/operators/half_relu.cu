//! task   operator
//! const  THREADS = 128
//! launch relu<<<ceil_div(x.numel, THREADS), THREADS>>>(x, out, x.numel)
#include <cuda_fp16.h>
extern "C" __global__ void relu(const __half* x, __half* y, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        y[i] = __hmax(x[i], __half(0.0f));
}
