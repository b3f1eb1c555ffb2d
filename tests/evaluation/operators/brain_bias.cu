//! task   operator
//! launch bias<<<dim3(ceil_div(x.dim(1), 64), x.dim(0)), 64>>>(x, layer.bias, out, x.dim(1))
#include <cuda_bf16.h>
extern "C" __global__ void bias(const __nv_bfloat16* x, const __nv_bfloat16* bias, __nv_bfloat16* y,
                                int columns)
{
    const int column = blockIdx.x * 64 + threadIdx.x;
    if (column < columns) {
        const float sum = __bfloat162float(x[blockIdx.y * columns + column]) + __bfloat162float(bias[column]);
        y[blockIdx.y * columns + column] = __float2bfloat16(sum);
    }
}
