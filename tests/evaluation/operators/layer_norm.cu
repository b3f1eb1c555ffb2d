//! task   operator
//! launch layer_norm<<<x.dim(0), 32>>>(x, norm.weight, norm.bias, out0, out1, out2, x.dim(1))
__device__ float total(float value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    return value;
}
extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y,
                                      float* means, float* scales, int columns)
{
    const float* row = x + blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += row[i];
    const float mean = total(sum) / columns;
    for (int i = threadIdx.x; i < columns; i += 32)
        squares += (row[i] - mean) * (row[i] - mean);
    const float scale = 1 / sqrtf(total(squares) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[blockIdx.x * columns + i] = (row[i] - mean) * scale * weight[i] + bias[i];
    if (threadIdx.x == 0) {
        means[blockIdx.x] = mean;
        scales[blockIdx.x] = scale;
    }
}
