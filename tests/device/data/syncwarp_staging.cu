// A warp stages 32 products in shared memory, and lane 0 adds them; SYNC is __syncwarp() or nothing.
#define BODY(SYNC)                                                                                                     \
    __shared__ float stage[128];                                                                                       \
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;                                                            \
    int lane = threadIdx.x & 31;                                                                                       \
    float* mine = stage + (threadIdx.x & ~31);                                                                         \
    if (row >= rows) return;                                                                                           \
    float sum = 0.0f;                                                                                                  \
    for (int base = row_ptr[row]; base < row_ptr[row + 1]; base += 32) {                                               \
        int j = base + lane;                                                                                           \
        mine[lane] = j < row_ptr[row + 1] ? val[j] * x[col[j]] : 0.0f;                                                 \
        SYNC;                                                                                                          \
        if (lane == 0)                                                                                                 \
            for (int k = 0; k < 32; ++k) sum += mine[k];                                                               \
        SYNC;                                                                                                          \
    }                                                                                                                  \
    if (lane == 0) y[row] = sum;
extern "C" __global__ void good(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    BODY(__syncwarp())
}
extern "C" __global__ void bad(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    BODY((void)0)
}
