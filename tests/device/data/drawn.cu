// SPDX-License-Identifier: Apache-2.0
// Programs of many blocks, right ones and such that go wrong where only few blocks are looked at.

// A prefix over blocks by decoupled look-back: state 1 is a sum of one block, 2 of all blocks up to it.
extern "C" __global__ void look_back(const float* x, float* y, volatile unsigned* state, float* own, float* prefix)
{
    __shared__ float before;
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        const float sum = x[b];
        if (b == 0) {
            prefix[0] = sum;
            __threadfence();
            state[0] = 2;
            before = 0;
        } else {
            own[b] = sum;
            __threadfence();
            state[b] = 1;
            float all = 0;
            for (int p = b - 1;; --p) {
                unsigned s;
                while ((s = state[p]) == 0) {
                }
                __threadfence();
                if (s == 2) {
                    all += prefix[p];
                    break;
                }
                all += own[p];
            }
            prefix[b] = all + sum;
            __threadfence();
            state[b] = 2;
            before = all;
        }
    }
    __syncthreads();
    y[b * 64 + threadIdx.x] = before + x[b];
}

// Blocks take turns, each adds to one word. A block hears of the one before it only, and another warp than the one
// that waits does the adding.
extern "C" __global__ void turns(const float* x, float* y, volatile unsigned* done, float* sum)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && !done[blockIdx.x - 1]) {
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        *sum += x[blockIdx.x];
        y[blockIdx.x] = *sum;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        done[blockIdx.x] = 1;
}

// A number goes from hand to hand. Blocks of even number read it, and learn nothing else by that; the others know of
// the block before them and write it unread.
extern "C" __global__ void handed(const float* x, float* y, volatile unsigned* number, volatile unsigned* done)
{
    const unsigned b = blockIdx.x;
    if (b % 2 == 0) {
        while (*number != b) {
        }
    } else {
        while (!done[b - 1]) {
        }
        __threadfence();
    }
    y[b] = x[b];
    *number = b + 1;
    __threadfence();
    done[b] = 1;
}

// A lock around a sum.
extern "C" __global__ void locked(const float* x, float* y, unsigned* lock, volatile float* sum)
{
    while (atomicCAS(lock, 0u, 1u)) {
    }
    __threadfence();
    *sum = *sum + x[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0u);
    y[blockIdx.x] = x[blockIdx.x];
}

// The last block by a ticket adds up what all have left.
extern "C" __global__ void last_block(const float* x, float* y, float* part, unsigned* count)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    for (int i = threadIdx.x; i < gridDim.x; i += 64)
        y[i] = part[i];
}

// What the blocks of one launch write those of the next one read, in other places.
extern "C" __global__ void first_half(const float* x, float* part)
{
    part[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x];
}
extern "C" __global__ void second_half(const float* part, float* y)
{
    const int from = (blockIdx.x * 7 + 1) % gridDim.x;
    y[blockIdx.x * 64 + threadIdx.x] = part[from * 64 + threadIdx.x];
}

// Blocks share a word, most of them with their neighbours: atomics, or additions that get lost.
extern "C" __global__ void shared_ends(const float* x, float* y)
{
    for (int i = 0; i < 2; ++i)
        atomicAdd(y + blockIdx.x + i, x[blockIdx.x]);
}
extern "C" __global__ void plain_ends(const float* x, float* y)
{
    for (int i = 0; i < 2; ++i)
        y[blockIdx.x + i] += x[blockIdx.x];
}
extern "C" __global__ void plain_ends_of_rows(const float* x, float* y)
{
    y[blockIdx.x] += x[blockIdx.y];
}
extern "C" __global__ void plain_halves(const float* x, float* y)
{
    y[blockIdx.x % (gridDim.x / 2)] += x[blockIdx.x];
}
extern "C" __global__ void volatile_ends(const float* x, volatile float* y)
{
    for (int i = 0; i < 2; ++i)
        y[blockIdx.x + i] = y[blockIdx.x + i] + x[blockIdx.x];
}

// Half of what is read of shared memory was never written.
extern "C" __global__ void unwritten_shared(const float* x, float* y)
{
    __shared__ float held[128];
    held[threadIdx.x] = x[blockIdx.x];
    __syncthreads();
    y[blockIdx.x * 64 + threadIdx.x] = held[2 * threadIdx.x];
}
// The barrier is missing.
extern "C" __global__ void race_in_shared(const float* x, float* y)
{
    __shared__ float held[64];
    held[threadIdx.x] = 0;
    __syncthreads();
    held[threadIdx.x] = x[blockIdx.x];
    y[blockIdx.x * 64 + threadIdx.x] = held[63 - threadIdx.x];
}
// Blocks read of working memory what only others could have written.
extern "C" __global__ void unwritten_scratch(const float* x, float* y, float* part)
{
    if (blockIdx.x % 2 == 0)
        part[blockIdx.x] = x[blockIdx.x];
    else
        y[blockIdx.x] = part[blockIdx.x];
}
