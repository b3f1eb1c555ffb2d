// SPDX-License-Identifier: Apache-2.0
// Source of the PTX in helper_kernels.h: what NVRTC makes of it, without comments. The test device_helper_kernels
// holds the two against each other, and writes the PTX where SPARSERL_UPDATE_KERNELS is set.
typedef unsigned long long u64;

extern "C" __global__ void sparserl_empty() {}

struct Area
{
    u64 address, size;
};

/// Adds a hash of (index, word) over all words of an area (blockIdx.y); sums are spread over 64 slots so that atomics
/// do not queue. Sizes are in words.
extern "C" __global__ void sparserl_checksum(const Area* areas, u64* slots)
{
    const Area area = areas[blockIdx.y];
    const unsigned* words = (const unsigned*)area.address;
    const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const u64 stride = (u64)gridDim.x * blockDim.x;
    u64 sum = 0;
    for (u64 i = first; i < area.size; i += stride) {
        u64 h = words[i] + (i + 1) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93ull;
        h ^= h >> 32;
        sum += h;
    }
    if (first < area.size)
        atomicAdd(slots + (u64)blockIdx.y * 64 + (first & 63), sum);
}

/// The byte at `i` of a zone with this key.
__device__ unsigned char zoneByte(u64 key, u64 i)
{
    u64 h = key + (i + 1) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
    h *= 0xD6E8FEB86659FD93ull;
    return (unsigned char)(h >> 56);
}

/// Writes the pattern of each zone (a block each; sizes are in bytes).
extern "C" __global__ void sparserl_zone_fill(const Area* zones, u64 seed)
{
    const Area zone = zones[blockIdx.x];
    unsigned char* bytes = (unsigned char*)zone.address;
    const u64 key = seed ^ ((u64)(blockIdx.x + 1) << 32);
    for (u64 i = threadIdx.x; i < zone.size; i += blockDim.x)
        bytes[i] = zoneByte(key, i);
}

/// The first byte of each zone that is not as it was; `broken` starts at ~0.
extern "C" __global__ void sparserl_zone_check(const Area* zones, u64 seed, unsigned* broken)
{
    const Area zone = zones[blockIdx.x];
    const unsigned char* bytes = (const unsigned char*)zone.address;
    const u64 key = seed ^ ((u64)(blockIdx.x + 1) << 32);
    for (u64 i = threadIdx.x; i < zone.size; i += blockDim.x) {
        if (bytes[i] != zoneByte(key, i)) {
            atomicMin(broken + blockIdx.x, (unsigned)i);
            break;
        }
    }
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

/// What the helpers below call random.
__device__ u64 mixed(u64 key, u64 i)
{
    u64 h = key + (i + 1) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
    return h;
}

/// A word of poison. Mode 0: a NaN as float and, twice in a row, as double; as an integer about 2^31. Mode 1: a
/// finite float of magnitude 1/4 to 16; as an integer 2^30 away from 0. Mode 2: either.
__device__ unsigned poisonWord(u64 h, unsigned mode)
{
    if (mode == 2)
        mode = (unsigned)(h >> 63);
    const unsigned low = (unsigned)h;
    if (mode == 0)
        return 0x7ff80000u | (low & 0x7ffffu) | 1u;
    return (low & 0x807fffffu) | (125u + (unsigned)(h >> 32) % 6u) << 23;
}

/// Poison for each area (blockIdx.y; sizes are in bytes), of a mode that the seed draws for it.
extern "C" __global__ void sparserl_poison(const Area* areas, u64 seed)
{
    const Area area = areas[blockIdx.y];
    const u64 key = mixed(seed, area.address);
    // Mostly both in one array; sometimes only one, for those who look at more than one element.
    const unsigned draw = (unsigned)(key >> 40) & 7u, mode = draw < 2 ? draw : 2;
    unsigned* words = (unsigned*)area.address;
    const u64 stride = (u64)gridDim.x * blockDim.x;
#pragma unroll 1
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (area.size + 3) / 4; i += stride) {
        const unsigned word = poisonWord(mixed(key, i), mode);
        if (4 * i + 4 <= area.size) {
            words[i] = word;
            continue;
        }
#pragma unroll 1
        for (u64 b = 4 * i; b < area.size; ++b)
            ((unsigned char*)area.address)[b] = (unsigned char)(word >> 8 * (b & 3));
    }
}

/// The sign of element `i` of area `area` in state `state`: as given in state 0.
__device__ unsigned signOf(u64 seed, unsigned state, unsigned area, u64 i)
{
    if (state == 0)
        return 0;
    return (unsigned)(mixed(seed ^ (u64)state << 20 ^ (u64)area << 52, i) >> 32) & 0x80000000u;
}

/// Takes each area (blockIdx.y; sizes are in elements) from the signs of one state to those of another. An element's
/// sign is in the last of its `words`.
extern "C" __global__ void sparserl_signs(const Area* areas, u64 seed, unsigned before, unsigned after, unsigned words)
{
    const Area area = areas[blockIdx.y];
    unsigned* last = (unsigned*)area.address + (words - 1);
    const u64 stride = (u64)gridDim.x * blockDim.x;
#pragma unroll 1
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < area.size; i += stride)
        last[i * words] ^= signOf(seed, before, blockIdx.y, i) ^ signOf(seed, after, blockIdx.y, i);
}

/// A call whose output is compared (timed_oracle.cpp).
struct Look
{
    u64 output;
    unsigned slot, from; ///< Its input is that of the slot, from this element on.
};

/// The first element that was wrong, for a sentence.
struct WrongCall
{
    u64 element;
    double expected, got, bound;
    unsigned taken, changed;
};

/// What comparisons of a measurement have in common; the host has the same (timed_oracle.cpp).
struct Comparison
{
    const Area* inputs; ///< As the program reads them, by slot; may be missing.
    const void* given;  ///< The same without the signs of a state, `stride` elements a slot, out of its reach.
    const int *rowPtr, *col;
    const void* val;
    WrongCall* wrong;
    unsigned* share;
    u64 stride, signSeed;
    double unit, underflow, largest; ///< Beyond `largest` a sum may leave the range of its type in some order.
    int rows, columns;
    unsigned inputCount, items, longest;
};

/// Of products of floats: each is exact in double precision, and what their sum loses there is little to a float.
struct FloatProducts
{
    typedef float Element;
    typedef unsigned Bits;
    double sum = 0, squares = 0, size = 0;

    __device__ static Element number(Bits bits) { return __uint_as_float(bits); }
    __device__ static Bits withSign(Bits bits, unsigned sign) { return bits ^ sign; }
    __device__ void add(Element a, Element x)
    {
        const double product = (double)a * (double)x;
        sum += product;
        squares += product * product;
        size += fabs(product);
    }
    __device__ void join(int offset)
    {
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        squares += __shfl_xor_sync(0xffffffffu, squares, offset);
        size += __shfl_xor_sync(0xffffffffu, size, offset);
    }
    __device__ double norm() const { return sqrt(squares); }
    __device__ double error(double got) const { return fabs(got - sum); }
};

/// Of products of doubles: what a product and a sum lose is summed beside them (Ogita, Rump and Oishi, SIAM J. Sci.
/// Comput. 26(6), 2005, algorithm 5.3: as if in twice the digits). Squares of what is very large or very small are
/// summed scaled, as they would leave the range (Blue, ACM TOMS 4(1), 1978).
struct DoubleProducts
{
    typedef double Element;
    typedef u64 Bits;
    static constexpr double large = 0x1p+486, tiny = 0x1p-511;        ///< Beyond them squares are scaled,
    static constexpr double largeScale = 0x1p-538, tinyScale = 0x1p+537; ///< by these.
    static constexpr double unseen = 0x1p-800; ///< Tiny squares are nothing beside more than this.
    double sum = 0, rest = 0, squares = 0, largeSquares = 0, tinySquares = 0, size = 0;

    __device__ static Element number(Bits bits) { return __longlong_as_double((long long)bits); }
    __device__ static Bits withSign(Bits bits, unsigned sign) { return bits ^ (Bits)sign << 32; }
    __device__ void addToSum(double term)
    {
        const double total = __dadd_rn(sum, term), taken = __dsub_rn(total, sum);
        rest += __dadd_rn(__dsub_rn(sum, __dsub_rn(total, taken)), __dsub_rn(term, taken));
        sum = total;
    }
    __device__ void add(Element a, Element x)
    {
        const double product = __dmul_rn(a, x), magnitude = fabs(product);
        rest += __fma_rn(a, x, -product);
        addToSum(product);
        size += magnitude;
        if (magnitude > large)
            largeSquares += (product * largeScale) * (product * largeScale);
        else if (magnitude < tiny)
            tinySquares += (product * tinyScale) * (product * tinyScale);
        else
            squares += product * product;
    }
    __device__ void join(int offset)
    {
        rest += __shfl_xor_sync(0xffffffffu, rest, offset);
        addToSum(__shfl_xor_sync(0xffffffffu, sum, offset));
        squares += __shfl_xor_sync(0xffffffffu, squares, offset);
        largeSquares += __shfl_xor_sync(0xffffffffu, largeSquares, offset);
        tinySquares += __shfl_xor_sync(0xffffffffu, tinySquares, offset);
        size += __shfl_xor_sync(0xffffffffu, size, offset);
    }
    __device__ double norm() const
    {
        if (largeSquares > 0)
            return sqrt(largeSquares + squares * largeScale * largeScale) / largeScale;
        if (tinySquares > 0 && squares < unseen)
            return sqrt(tinySquares + squares * tinyScale * tinyScale) / tinyScale;
        return sqrt(squares);
    }
    __device__ double error(double got) const { return fabs((got - sum) - rest); }
};

/// Compares elements of what calls left (one look for each blockIdx.y) with their products: `items` drawn ones, half
/// of them by row and half by entry, or all of the look `whole`. A warp for each element. What is right adds `key` to
/// the sum, which is in the parameters only, out of the reach of programs.
template <typename Products>
__device__ void compareElements(const Comparison& c, const Look* looks, u64 pick, u64 key, u64* total, unsigned state,
                                unsigned wholeLook)
{
    typedef typename Products::Element Element;
    typedef typename Products::Bits Bits;
    const Look look = looks[blockIdx.y];
    const unsigned lane = threadIdx.x & 31u;
    const u64 warps = ((u64)gridDim.x * blockDim.x) >> 5;
    const u64 elements = (u64)c.rows * (u64)c.columns;
    const bool whole = blockIdx.y == wholeLook || elements <= c.items;
    const u64 count = whole ? elements : c.items;
    const Bits* given = (const Bits*)c.given + look.slot * c.stride + look.from;
    const Bits* read = look.slot < c.inputCount ? (const Bits*)c.inputs[look.slot].address + look.from : nullptr;
    const Element* val = (const Element*)c.val;
    const Element* output = (const Element*)look.output;
    u64 right = 0;
    float share = 0;
#pragma unroll 1
    for (u64 i = ((u64)blockIdx.x * blockDim.x + threadIdx.x) >> 5; i < count; i += warps) {
        const u64 draw = mixed(pick ^ (u64)blockIdx.y << 48, i);
        u64 row = i / (unsigned)c.columns, column = i % (unsigned)c.columns;
        if (!whole) {
            row = (draw >> 1) % (unsigned)c.rows;
            column = (draw >> 40) % (unsigned)c.columns;
            if ((draw & 1) != 0 && c.rowPtr[c.rows] > 0) {
                const int entry = (int)((draw >> 1) % (unsigned)c.rowPtr[c.rows]);
                int low = 0, high = c.rows;
#pragma unroll 1
                while (low + 1 < high) {
                    const int middle = low + (high - low) / 2;
                    if (c.rowPtr[middle] <= entry)
                        low = middle;
                    else
                        high = middle;
                }
                row = (u64)low;
            }
        }
        const int begin = c.rowPtr[row], end = c.rowPtr[row + 1];
        // Of the longest rows a part is looked at, in proportion to what they cost.
        if (!whole && (unsigned)(end - begin) > c.longest &&
            (unsigned)(mixed(draw, i) >> 32) % (unsigned)(end - begin) >= c.longest) {
            ++right;
            continue;
        }
        Products sums;
        unsigned products = 0;
        Bits changed = 0;
#pragma unroll 4
        for (int at = begin + (int)lane; at < end; at += 32) {
            const u64 element = (u64)(unsigned)c.col[at] * (unsigned)c.columns + column;
            const Bits bits =
                Products::withSign(given[element], signOf(c.signSeed, state, look.slot, look.from + element));
            if (read)
                changed |= read[element] ^ bits;
            const Element a = val[at], x = Products::number(bits);
            sums.add(a, x);
            products += a != 0 && x != 0;
        }
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            sums.join(offset);
            changed |= __shfl_xor_sync(0xffffffffu, changed, offset);
            products += __shfl_xor_sync(0xffffffffu, products, offset);
        }
        const u64 element = row * (unsigned)c.columns + column;
        const double got = (double)output[element], error = sums.error(got), n = (double)products;
        // As cases/oracle.h has them, for random signs.
        const double bound =
            fmin(c.unit * (n + 4) * sums.size, 6 * c.unit * (sqrt(n) + 2) * sums.norm()) + n * c.underflow;
        const bool open = sums.size > c.largest;
        if (changed == 0 && (open || error <= bound)) {
            ++right;
            if (!open && bound > 0)
                share = fmaxf(share, (float)(error / bound));
        } else if (lane == 0 && atomicExch(&c.wrong->taken, 1u) == 0) {
            c.wrong->element = element;
            c.wrong->expected = sums.sum;
            c.wrong->got = got;
            c.wrong->bound = bound;
            c.wrong->changed = changed != 0;
        }
    }
    if (lane == 0 && right > 0) {
        atomicAdd(total, right * key);
        atomicMax(c.share, __float_as_uint(share));
    }
}

extern "C" __global__ void sparserl_compare(const Comparison* __restrict__ common, const Look* looks, u64 pick, u64 key,
                                            u64* total, unsigned state, unsigned wholeLook)
{
    compareElements<FloatProducts>(*common, looks, pick, key, total, state, wholeLook);
}

/// The same where values and vectors are doubles.
extern "C" __global__ void sparserl_compare64(const Comparison* __restrict__ common, const Look* looks, u64 pick,
                                              u64 key, u64* total, unsigned state, unsigned wholeLook)
{
    compareElements<DoubleProducts>(*common, looks, pick, key, total, state, wholeLook);
}

/// Poison in all the shared memory that a block may have: nothing there outlives the launch before.
extern "C" __global__ void sparserl_scrub(u64 seed, unsigned words)
{
    extern __shared__ unsigned shared[];
    volatile unsigned* to = shared;
    const unsigned word = poisonWord(mixed(seed ^ blockIdx.x, threadIdx.x), 2);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        to[i] = word;
}
