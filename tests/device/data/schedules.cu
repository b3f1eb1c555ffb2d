// SPDX-License-Identifier: Apache-2.0
// Natural mistakes that count on an order of blocks or warps: right where they run by their numbers.

// The block with the last number finishes; it does not wait for the others.
extern "C" __global__ void last_by_number(int rows, int nnz, const int* ptr, const int* col, const float* val,
                                          const float* x, float* y, float* part)
{
    for (int i = blockIdx.x * 4096 + threadIdx.x; i < min(nnz, (int)blockIdx.x * 4096 + 4096); i += 256) {
        int lo = 0, hi = rows;
        while (lo + 1 < hi) {
            const int m = (lo + hi) / 2;
            if (ptr[m] <= i)
                lo = m;
            else
                hi = m;
        }
        atomicAdd(part + lo, val[i] * x[col[i]]);
    }
    __threadfence();
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1)
        for (int r = threadIdx.x; r < rows; r += 256)
            y[r] = atomicAdd(part + r, 0.0f);
}

// A prefix over blocks whose look-back takes what is there instead of waiting for it.
extern "C" __global__ void look_back(const float* x, float* y, volatile unsigned* ready, volatile float* prefix)
{
    float before = 0;
    if (blockIdx.x > 0 && ready[blockIdx.x - 1]) {
        __threadfence();
        before = prefix[blockIdx.x - 1];
    }
    const float sum = before + x[blockIdx.x];
    prefix[blockIdx.x] = sum;
    __threadfence();
    ready[blockIdx.x] = 1;
    y[blockIdx.x] = sum;
}

// A queue whose tickets are taken for numbers of blocks.
extern "C" __global__ void tickets(const float* x, float* y, unsigned* next)
{
    const unsigned ticket = atomicAdd(next, 1u);
    y[blockIdx.x] = x[ticket];
}

// The second warp reads what the first one has written, without a barrier.
extern "C" __global__ void warps(const float* x, float* y)
{
    __shared__ volatile float held[32];
    if (threadIdx.x < 32)
        held[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
    else
        y[blockIdx.x * 32 + threadIdx.x - 32] = held[threadIdx.x - 32];
}
