//! task    operator
//! scratch largest f32[x.dim(0)]
//! launch  maxima<<<x.dim(0), 32>>>(x, largest, x.dim(1))
//! launch  softmax<<<x.dim(0), 32>>>(x, largest, out, x.dim(1))
extern "C" __global__ void maxima(const float* x, float* largest, int columns)
{
    float most = -3.4e38f;
    for (int i = threadIdx.x; i < columns; i += 32)
        most = fmaxf(most, x[blockIdx.x * columns + i]);
    for (int step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffff, most, step));
    if (threadIdx.x == 0)
        largest[blockIdx.x] = most;
}
extern "C" __global__ void softmax(const float* x, const float* largest, float* y, int columns)
{
    const float most = largest[blockIdx.x];
    const float* row = x + blockIdx.x * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += expf(row[i] - most);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
