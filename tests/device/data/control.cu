// Control flow, calls and waiting whose results do not depend on the schedule.
extern "C" __global__ void nested(int n, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0.0f;
    for (int k = 0; k <= i % 7; ++k) {
        if (k == 3 && i % 2) continue;
        if (k == 5 && i % 3 == 0) break;
        for (int m = 0; m < (i + k) % 4; ++m)
            v += x[(k * 4 + m) % n];
        if (v > 50.0f) {
            y[i] = -v;
            return;
        }
    }
    int active = __popc(__activemask());
    y[i] = v + (active == 32 && false);
}
extern "C" __global__ void choose(int n, const float* x, float* y)
{
    int i = threadIdx.x;
    float v = x[i];
    switch (i % 9) {
    case 0: v += 1.0f; break;
    case 1: v *= 2.0f; break;
    case 2: v -= x[3]; break;
    case 3: v = x[n - 1]; break;
    case 4: return;
    case 5: v += 7.0f;
    case 6: v *= 3.0f; break;
    default: v = -v;
    }
    y[i] = v;
}
__device__ __noinline__ float poly(float a, const float* table, int count)
{
    float r = 0.0f;
    for (int k = 0; k < count; ++k) r = r * a + table[k];
    return r;
}
__constant__ float coefficients[5] = {1.0f, -2.0f, 3.0f, 0.5f, 4.0f};
extern "C" __global__ void calls(int n, const float* x, float* y)
{
    float local[6];
    int i = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 6; ++k) local[k] = x[(i + k) % n];
    float v = poly(x[i], local, 1 + i % 6);
    if (i % 3 == 0) v += poly(2.0f, coefficients, 5);
    y[i] = v + local[(i * 5) % 6];
}
extern "C" __global__ void reduce(int n, const float* x, float* y)
{
    __shared__ float s[32];
    float v = x[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0f;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
        if (threadIdx.x == 0) y[0] = v;
    }
    int big = __syncthreads_count(x[threadIdx.x] > 0.0f);
    int any = __syncthreads_or(x[threadIdx.x] > 1.5f), all = __syncthreads_and(x[threadIdx.x] > -9.0f);
    if (threadIdx.x == 0) { y[1] = big; y[2] = any != 0; y[3] = all != 0; }
    unsigned ballot = __ballot_sync(~0u, x[threadIdx.x] > 0.0f);
    unsigned match = __match_any_sync(~0u, (int)x[threadIdx.x]);
    int most = __reduce_max_sync(~0u, (int)x[threadIdx.x]);
    if (threadIdx.x == 33) { y[4] = __popc(ballot); y[5] = __popc(match); y[6] = most; }
    float up = __shfl_up_sync(~0u, x[threadIdx.x], 3), eighth = __shfl_sync(~0u, x[threadIdx.x], 2, 8);
    if (threadIdx.x == 45) { y[7] = up; y[8] = eighth; }
}
extern "C" __global__ void relay(int n, const float* x, float* data, unsigned* flag, float* y)
{
    // Each block waits for the one before it: all are resident.
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        if (b > 0)
            while (((volatile unsigned*)flag)[b - 1] == 0u) { }
        __threadfence();
        data[b] = (b > 0 ? data[b - 1] : 0.0f) + x[b];
        __threadfence();
        ((volatile unsigned*)flag)[b] = 1u;
        if (b == n - 1) y[0] = data[b];
    }
}
extern "C" __global__ void warps_wait(int n, const float* x, float* y)
{
    __shared__ volatile int ready;
    __shared__ float value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 64) {
        value = x[7];
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 0) {
        while (!ready) { }
        __threadfence_block();
        y[0] = value;
    }
}
extern "C" __global__ void tickets(int n, const float* x, unsigned* next, float* y)
{
    // A warp takes rows until none are left.
    while (true) {
        unsigned row = 0;
        if (threadIdx.x % 32 == 0) row = atomicAdd(next, 1u);
        row = __shfl_sync(~0u, row, 0);
        if (row >= n) break;
        if (threadIdx.x % 32 == 0) y[row] = 2.0f * x[row];
    }
}
extern "C" __global__ void atomics(int n, const float* x, int* bins, float* y)
{
    __shared__ int local[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4) local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[i % 4], 1);
    atomicMax(&bins[4], i);
    atomicMin(&bins[5], -i);
    atomicOr((unsigned*)&bins[6], 1u << (i % 20));
    atomicCAS(&bins[7], 0, 77);
    __syncthreads();
    if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
    atomicAdd(&y[i % 3], x[i % n]);
}
// Threads of one warp take turns at a lock that some other lane of the warp holds.
extern "C" __global__ void warp_lock(int n, int* lock, int* turn, const float* x, float* y)
{
    int i = threadIdx.x;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    volatile int* shared = turn;
    int mine = *shared;
    *shared = mine + 1;
    y[mine] = x[0] + mine;
    __threadfence();
    atomicExch(lock, 0);
    y[n + i] = x[i];
}
extern "C" __global__ void warp_try_lock(int n, int* lock, int* turn, const float* x, float* y)
{
    int i = threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            volatile int* shared = turn;
            int mine = *shared;
            *shared = mine + 1;
            y[mine] = x[0] + mine;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    y[n + i] = x[i];
}
// Lane k waits for lane k - 1, which is behind the loop.
extern "C" __global__ void warp_chain(int n, int* lock, int* turn, const float* x, float* y)
{
    int i = threadIdx.x;
    volatile int* next = turn;
    while (*next != i) {}
    y[i] = x[i] + i;
    __threadfence();
    *next = i + 1;
    y[n + i] = x[i];
}
