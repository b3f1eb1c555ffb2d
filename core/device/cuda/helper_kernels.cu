// SPDX-License-Identifier: Apache-2.0
// Source of the PTX in helper_kernels.h:
//   nvcc -ptx -arch=compute_80 -O3 helper_kernels.cu
typedef unsigned long long u64;

extern "C" __global__ void sparserl_empty() {}

/// Adds a hash of (index, word) over all words; sums are spread over 64 slots so that atomics do not queue.
extern "C" __global__ void sparserl_checksum(const unsigned* words, u64 count, u64* slots)
{
    const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u64 stride = (u64)gridDim.x * blockDim.x;
    u64 sum = 0;
    for (u64 i = first; i < count; i += stride) {
        u64 h = words[i] + (i + 1) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93ull;
        h ^= h >> 32;
        sum += h;
    }
    if (first < count)
        atomicAdd(slots + (first & 63), sum);
}

extern "C" __global__ void sparserl_fill(uint4* to, u64 count, unsigned value)
{
    const u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        to[i] = make_uint4(value, value + 1, value + 2, value + 3);
}

/// Reads everything `repeats` times past L1. The store never happens (no word of the data is 0x7ee7...), but
/// the compiler cannot know.
extern "C" __global__ void sparserl_read(const uint4* from, u64 count, unsigned repeats, unsigned* sink)
{
    const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u64 stride = (u64)gridDim.x * blockDim.x;
    unsigned seen = 0;
    for (unsigned r = 0; r < repeats; ++r) {
        u64 i = first;
        for (; i + 3 * stride < count; i += 4 * stride) {
            const uint4 a = __ldcg(from + i), b = __ldcg(from + i + stride), c = __ldcg(from + i + 2 * stride),
                        d = __ldcg(from + i + 3 * stride);
            seen |= a.x ^ b.y ^ c.z ^ d.w;
            seen |= a.y ^ b.z ^ c.w ^ d.x;
            seen |= a.z ^ b.w ^ c.x ^ d.y;
            seen |= a.w ^ b.x ^ c.y ^ d.z;
        }
        for (; i < count; i += stride) {
            const uint4 a = __ldcg(from + i);
            seen |= a.x ^ a.y ^ a.z ^ a.w;
        }
    }
    if (seen == 0x7ee71357u)
        *sink = seen;
}

extern "C" __global__ void sparserl_copy(const uint4* from, uint4* to, u64 count)
{
    const u64 stride = (u64)gridDim.x * blockDim.x;
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const uint4 a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
        to[i] = a;
        to[i + stride] = b;
        to[i + 2 * stride] = c;
        to[i + 3 * stride] = d;
    }
    for (; i < count; i += stride)
        to[i] = from[i];
}
