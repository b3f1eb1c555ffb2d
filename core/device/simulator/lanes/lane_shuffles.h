// SPDX-License-Identifier: Apache-2.0
// Shuffles of full warps. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lanes/lane_ops.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace sparserl::sim {

namespace {

using ptx::ShuffleMode;

#if defined(__AVX512F__)

template <ShuffleMode M>
inline __attribute__((always_inline)) __mmask16 sources(__m512i lane, __m512i b, __m512i c, __m512i* from)
{
    const __m512i low5 = _mm512_set1_epi32(31);
    const __m512i amount = _mm512_and_si512(b, low5), clamp = _mm512_and_si512(c, low5);
    const __m512i segment = _mm512_and_si512(_mm512_srli_epi32(c, 8), low5);
    const __m512i lowest = _mm512_and_si512(lane, segment);
    const __m512i limit = _mm512_or_si512(lowest, _mm512_andnot_si512(segment, clamp));
    if constexpr (M == ShuffleMode::Up)
        *from = _mm512_sub_epi32(lane, amount);
    else if constexpr (M == ShuffleMode::Down)
        *from = _mm512_add_epi32(lane, amount);
    else if constexpr (M == ShuffleMode::Butterfly)
        *from = _mm512_xor_si512(lane, amount);
    else
        *from = _mm512_or_si512(lowest, _mm512_andnot_si512(segment, amount));
    const __mmask16 valid =
        M == ShuffleMode::Up ? _mm512_cmpge_epi32_mask(*from, limit) : _mm512_cmple_epi32_mask(*from, limit);
    *from = _mm512_mask_blend_epi32(valid, lane, *from);
    return valid;
}

template <ShuffleMode M>
std::uint32_t shuffleLanes(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                           std::uint32_t* d)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i upper = _mm512_add_epi32(lane, _mm512_set1_epi32(16));
    const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);
    __m512i fromLow, fromHigh;
    const std::uint32_t validLow = sources<M>(lane, _mm512_loadu_si512(b), _mm512_loadu_si512(c), &fromLow);
    const std::uint32_t validHigh =
        sources<M>(upper, _mm512_loadu_si512(b + 16), _mm512_loadu_si512(c + 16), &fromHigh);
    _mm512_storeu_si512(d, _mm512_permutex2var_epi32(low, fromLow, high));
    _mm512_storeu_si512(d + 16, _mm512_permutex2var_epi32(low, fromHigh, high));
    return validLow | validHigh << 16;
}

#else

template <ShuffleMode M>
std::uint32_t shuffleLanes(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                           std::uint32_t* d)
{
    std::uint32_t inRange = 0, result[lanesPerWarp];
    for (int l = 0; l < lanesPerWarp; ++l) {
        const auto amount = static_cast<int>(b[l] & 31), clamp = static_cast<int>(c[l] & 31);
        const auto segment = static_cast<int>((c[l] >> 8) & 31);
        const int lowest = l & segment, limit = lowest | (clamp & ~segment);
        const int from = M == ShuffleMode::Up          ? l - amount
                         : M == ShuffleMode::Down      ? l + amount
                         : M == ShuffleMode::Butterfly ? l ^ amount
                                                       : lowest | (amount & ~segment);
        const bool valid = M == ShuffleMode::Up ? from >= limit : from <= limit;
        inRange |= (valid ? 1u : 0u) << l;
        result[l] = a[valid ? from : l];
    }
    for (int l = 0; l < lanesPerWarp; ++l)
        d[l] = result[l];
    return inRange;
}

#endif

} // namespace

} // namespace sparserl::sim
