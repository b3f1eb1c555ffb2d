// Kernels that go wrong, each in one place: the line with FAULT(name) is the one to be named.
extern "C" __global__ void oob_read(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i + 1]; // FAULT(oob_read)
    if (i < n) y[i] = v;
}
extern "C" __global__ void oob_write(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i % n]; // FAULT(oob_write)
}
extern "C" __global__ void write_input(int n, float* x, float* y)
{
    int i = threadIdx.x;
    if (i < n) y[i] = 1.0f;
    x[0] = 2.0f; // FAULT(write_input)
}
extern "C" __global__ void null_pointer(int n, const float* x, float* y)
{
    float* p = (float*)(long long)(n - 100);
    y[threadIdx.x] = x[threadIdx.x];
    p[threadIdx.x] = 1.0f; // FAULT(null_pointer)
}
extern "C" __global__ void misaligned(int n, const float* x, float* y)
{
    if (threadIdx.x == 3)
        *(float2*)(y + 1) = make_float2(1.0f, 2.0f); // FAULT(misaligned)
}
extern "C" __global__ void shared_oob(int n, const float* x, float* y)
{
    __shared__ float s[64];
    s[threadIdx.x + n - 64] = x[threadIdx.x]; // FAULT(shared_oob)
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void uninitialised_shared(int n, const float* x, float* y)
{
    __shared__ float s[128];
    if (threadIdx.x != 40) s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1]; // FAULT(uninitialised_shared)
}
extern "C" __global__ void uninitialised_output(int n, const float* x, float* y)
{
    atomicAdd(&y[threadIdx.x], x[threadIdx.x]); // FAULT(uninitialised_output)
}
extern "C" __global__ void missing_barrier(int n, const float* x, float* y)
{
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = s[(threadIdx.x + 32) % 128]; // FAULT(missing_barrier)
}
extern "C" __global__ void barrier_too_late(int n, const float* x, float* y)
{
    __shared__ float s[128];
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) {
        s[threadIdx.x] = x[threadIdx.x] + k; // FAULT(barrier_too_late)
        __syncthreads();
        sum += s[127 - threadIdx.x]; // no barrier before the next round
    }
    y[threadIdx.x] = sum;
}
extern "C" __global__ void racy_sum(int n, const float* x, float* y)
{
    y[0] += x[threadIdx.x]; // FAULT(racy_sum)
}
extern "C" __global__ void racy_blocks(int n, const float* x, float* y)
{
    if (threadIdx.x == 0) y[0] = x[blockIdx.x]; // FAULT(racy_blocks)
}
extern "C" __global__ void same_value(int n, const float* x, float* y)
{
    if (threadIdx.x < 32 && blockIdx.x == 0) y[0] = 1.0f; // fine: one instruction, one value
}
extern "C" __global__ void divergent_barrier(int n, const float* x, float* y)
{
    if (threadIdx.x % 2) {
        y[threadIdx.x] = x[0];
        __syncthreads(); // FAULT(divergent_barrier)
    }
    y[threadIdx.x ^ 1] = x[1];
}
extern "C" __global__ void two_barriers(int n, const float* x, float* y)
{
    if (threadIdx.x < 64) {
        y[threadIdx.x] = x[0];
        __syncthreads(); // FAULT(two_barriers)
        y[threadIdx.x] = x[1];
    } else {
        y[threadIdx.x] = x[2];
        __syncthreads(); // FAULT(two_barriers)
        y[threadIdx.x] = x[3];
    }
}
extern "C" __global__ void early_return(int n, const float* x, float* y)
{
    __shared__ float s[128];
    if (threadIdx.x >= 100) return; // whole and part warps leave; the others still meet
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[99 - threadIdx.x];
}
extern "C" __global__ void wrong_mask(int n, const float* x, float* y)
{
    float v = x[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v += __shfl_xor_sync(0xffffffffu, v, 1); // FAULT(wrong_mask)
    y[threadIdx.x] = v;
}
extern "C" __global__ void endless(int n, const float* x, float* y)
{
    volatile float* p = y;
    p[threadIdx.x] = 1.0f;
    while (p[threadIdx.x] > 0.0f) { // FAULT(endless)
    }
}
extern "C" __global__ void trapping(int n, const float* x, float* y)
{
    if (threadIdx.x == 5) asm volatile("trap;"); // FAULT(trapping)
    y[threadIdx.x] = x[threadIdx.x];
}
__device__ float pick(const float* p, int i)
{
    return p[i]; // FAULT(inlined)
}
extern "C" __global__ void inlined(int n, const float* x, float* y)
{
    y[threadIdx.x] = pick(x, threadIdx.x * 2);
}
