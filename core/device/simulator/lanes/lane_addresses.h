// SPDX-License-Identifier: Apache-2.0
// Addresses, sectors and caches. Included by lane_ops_body.h only.
#pragma once

#include "device/simulator/lanes/lane_values.h"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace sparserl::sim {

namespace {

// ---- addresses

std::uint32_t offsets64(const std::uint64_t* address, std::int64_t offset, std::uint64_t base,
                        std::uint64_t limit, std::uint32_t mask, std::uint32_t* out)
{
#if defined(__AVX512F__)
    const __m512i shift =
        _mm512_set1_epi64(static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) - base));
    const __m512i top = _mm512_set1_epi64(static_cast<std::int64_t>(limit));
    std::uint32_t bad = 0;
    for (int l = 0; l < lanesPerWarp; l += 8) {
        const __m512i v = _mm512_add_epi64(_mm512_loadu_si512(address + l), shift);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + l), _mm512_cvtepi64_epi32(v));
        bad |= static_cast<std::uint32_t>(_mm512_cmpgt_epu64_mask(v, top)) << l;
    }
    return bad & mask;
#else
    const U64a* a = reinterpret_cast<const U64a*>(address);
    const std::uint64_t shift = static_cast<std::uint64_t>(offset) - base;
    std::uint64_t bad = 0;
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint64_t v = a[l] + shift;
        out[l] = static_cast<std::uint32_t>(v);
        bad |= v > limit ? std::uint64_t(1) << l : 0;
    }
    return static_cast<std::uint32_t>(bad) & mask;
#endif
}

std::uint32_t offsets32(const std::uint32_t* address, std::int64_t offset, std::uint64_t limit,
                        std::uint32_t mask, std::uint32_t* out)
{
    const U32a* a = reinterpret_cast<const U32a*>(address);
    const std::uint32_t shift = static_cast<std::uint32_t>(offset);
    const std::uint32_t top = limit > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(limit);
    std::uint32_t bad = 0;
#pragma GCC ivdep
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint32_t v = a[l] + shift;
        out[l] = v;
        bad |= v > top ? 1u << l : 0u;
    }
    return bad & mask;
}

bool contiguous(const std::uint32_t* offsets, std::uint32_t width)
{
    const std::uint32_t first = offsets[0];
    std::uint32_t differs = 0;
    for (std::uint32_t l = 0; l < lanesPerWarp; ++l)
        differs |= offsets[l] ^ (first + l * width);
    return differs == 0;
}

std::uint32_t misaligned(const std::uint32_t* offsets, std::uint32_t width, std::uint32_t mask)
{
#if defined(__AVX512F__)
    const __m512i low = _mm512_set1_epi32(static_cast<int>(width - 1));
    const std::uint32_t first = _mm512_test_epi32_mask(_mm512_loadu_si512(offsets), low),
                        second = _mm512_test_epi32_mask(_mm512_loadu_si512(offsets + 16), low);
    return (first | second << 16) & mask;
#else
    std::uint32_t any = 0;
    for (int l = 0; l < lanesPerWarp; ++l)
        any |= (mask >> l) & 1u ? offsets[l] & (width - 1) : 0u;
    if (!any)
        return 0;
    std::uint32_t bad = 0;
    for (int l = 0; l < lanesPerWarp; ++l)
        bad |= (offsets[l] & (width - 1) ? 1u : 0u) << l;
    return bad & mask;
#endif
}

void gather32(const std::byte* host, const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t* d)
{
    U32a* out = reinterpret_cast<U32a*>(d);
    if (mask == allLanes) {
        for (int l = 0; l < lanesPerWarp; ++l)
            out[l] = *reinterpret_cast<const U32a*>(host + offsets[l]);
        return;
    }
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        out[l] = *reinterpret_cast<const U32a*>(host + offsets[l]);
    }
}

// ---- sectors and caches

int sectorsOf(const std::uint32_t* offsets, std::uint32_t firstSector, std::uint32_t* sectors,
              int* lineChanges, bool* ascending)
{
#if defined(__AVX512F__)
    alignas(64) std::uint32_t shifted[lanesPerWarp + 16];
    const __m512i first = _mm512_set1_epi32(static_cast<int>(firstSector));
    const __m512i low = _mm512_add_epi32(_mm512_srli_epi32(_mm512_loadu_si512(offsets), 5), first);
    const __m512i high = _mm512_add_epi32(_mm512_srli_epi32(_mm512_loadu_si512(offsets + 16), 5), first);
    _mm512_storeu_si512(shifted + 1, low);
    _mm512_storeu_si512(shifted + 17, high);
    shifted[0] = 0; // below all sectors
    const __m512i beforeLow = _mm512_loadu_si512(shifted), beforeHigh = _mm512_loadu_si512(shifted + 16);
    const __mmask16 newLow = _mm512_cmpneq_epu32_mask(low, beforeLow);
    const __mmask16 newHigh = _mm512_cmpneq_epu32_mask(high, beforeHigh);
    *ascending = !(_mm512_cmplt_epu32_mask(low, beforeLow) | _mm512_cmplt_epu32_mask(high, beforeHigh));
    const __mmask16 otherLow =
        _mm512_cmpneq_epu32_mask(_mm512_srli_epi32(low, 2), _mm512_srli_epi32(beforeLow, 2));
    const __mmask16 otherHigh =
        _mm512_cmpneq_epu32_mask(_mm512_srli_epi32(high, 2), _mm512_srli_epi32(beforeHigh, 2));
    *lineChanges = __builtin_popcount(otherLow) + __builtin_popcount(otherHigh);
    const int count = __builtin_popcount(newLow);
    // Compressing to memory is microcoded on some processors; callers reserve space for whole vectors.
    _mm512_storeu_si512(sectors, _mm512_maskz_compress_epi32(newLow, low));
    _mm512_storeu_si512(sectors + count, _mm512_maskz_compress_epi32(newHigh, high));
    return count + __builtin_popcount(newHigh);
#else
    int count = 0, changes = 0;
    std::uint32_t last = 0;
    bool up = true;
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::uint32_t sector = firstSector + (offsets[l] >> 5);
        up = up && sector >= last;
        sectors[count] = sector;
        count += sector != last;
        changes += sector >> 2 != last >> 2;
        last = sector;
    }
    *lineChanges = changes;
    *ascending = up;
    return count;
#endif
}

int distinct(std::uint32_t* sectors, int count, std::uint64_t* table, std::uint32_t generation)
{
    const std::uint64_t stamp = static_cast<std::uint64_t>(generation) << 32;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t sector = sectors[i];
        std::uint32_t slot = (sector * 2654435761u) >> 24;
        while ((table[slot] >> 32) == generation && static_cast<std::uint32_t>(table[slot]) != sector)
            slot = (slot + 1) & 255;
        sectors[kept] = sector;
        kept += table[slot] != (stamp | sector);
        table[slot] = stamp | sector;
    }
    return kept;
}

inline std::uint32_t setOf(std::uint32_t line, std::uint32_t sets)
{
    const std::uint64_t hash = line * 2654435761u;
    return static_cast<std::uint32_t>((hash * sets) >> 32);
}

/// Looks a line up in a set of 4 and inserts it with the sectors in `bits`. Returns the sectors that were
/// present before.
inline std::uint32_t touch4(std::uint32_t* set, std::uint32_t line, std::uint32_t bits)
{
#if defined(__AVX2__)
    // Indexed by the matching way (one of four bits, or none): moves the line to the front and the preceding
    // ones back by one.
    alignas(16) static const signed char order[9][16] = {
        {-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15},
        {},
        {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15},
        {},
        {},
        {},
        {12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    __m128i* place = reinterpret_cast<__m128i*>(set);
    const __m128i entries = _mm_loadu_si128(place);
    const __m128i equal = _mm_cmpeq_epi32(_mm_srli_epi32(entries, 4), _mm_set1_epi32(static_cast<int>(line)));
    const int match = _mm_movemask_ps(_mm_castsi128_ps(equal));
    const __m128i moved =
        _mm_shuffle_epi8(entries, _mm_load_si128(reinterpret_cast<const __m128i*>(order[match])));
    const std::uint32_t held =
        static_cast<std::uint32_t>(_mm_cvtsi128_si32(moved)); // 0 where nothing matched
    _mm_storeu_si128(place, _mm_insert_epi32(moved, static_cast<int>(held | line << 4 | bits), 0));
    return held & bits;
#else
    const std::uint32_t a = set[0], b = set[1], c = set[2], d = set[3];
    const bool inA = a >> 4 == line, inB = b >> 4 == line, inC = c >> 4 == line, inD = d >> 4 == line;
    const std::uint32_t held = inA ? a : inB ? b : inC ? c : inD ? d : 0;
    // Moves the line to the front and the preceding ones back by one: least recently used.
    set[0] = held | line << 4 | bits;
    set[1] = inA ? b : a;
    set[2] = inA || inB ? c : b;
    set[3] = inA || inB || inC ? d : c;
    return held & bits;
#endif
}

int probe4(std::uint32_t* lines, std::uint32_t sets, const std::uint32_t* sectors, int count,
           std::uint32_t* missed)
{
    int misses = 0;
    for (int i = 0; i < count;) {
        const std::uint32_t line = (sectors[i] >> 2) + 1;
        std::uint32_t bits = 1u << (sectors[i] & 3);
        const int first = i++;
        for (; i < count && (sectors[i] >> 2) + 1 == line; ++i)
            bits |= 1u << (sectors[i] & 3);
        const std::uint32_t held = touch4(lines + std::uint64_t(setOf(line, sets)) * 4, line, bits);
        missed[misses] = sectors[first];
        misses += (held >> (sectors[first] & 3) & 1) == 0;
        for (int k = first + 1; k < i; ++k) {
            missed[misses] = sectors[k];
            misses += (held >> (sectors[k] & 3) & 1) == 0;
        }
    }
    return misses;
}

/// Returns the number of ones in four bits.
inline int onesOf(std::uint32_t four)
{
    return static_cast<int>((0x4332322132212110u >> (4 * four)) & 15);
}

int probeResident(std::uint32_t* lines, std::uint32_t sets, std::uint64_t* resident,
                  const std::uint32_t* sectors, int count, std::uint32_t* missed, int* l1Hits)
{
    int misses = 0, hits = 0;
    for (int i = 0; i < count;) {
        const std::uint32_t at = sectors[i] >> 2;
        std::uint32_t bits = 1u << (sectors[i] & 3);
        for (++i; i < count && sectors[i] >> 2 == at; ++i)
            bits |= 1u << (sectors[i] & 3);
        const std::uint32_t held = touch4(lines + std::uint64_t(setOf(at + 1, sets)) * 4, at + 1, bits);
        hits += onesOf(held);
        // L2 contains everything in L1, so querying it for all sectors changes nothing.
        std::uint64_t& word = resident[at / 16];
        const std::uint32_t there = static_cast<std::uint32_t>(word >> (at % 16 * 4)) & 15u;
        word |= static_cast<std::uint64_t>(bits) << (at % 16 * 4);
        for (std::uint32_t rest = bits & ~held & ~there; rest; rest &= rest - 1)
            missed[misses++] = at * 4 + static_cast<std::uint32_t>(__builtin_ctz(rest));
    }
    *l1Hits = hits;
    return misses;
}

int probe16(std::uint32_t* lines, std::uint32_t sets, std::uint32_t* clock, const std::uint32_t* sectors,
            int count, std::uint32_t* missed)
{
    std::uint32_t* found[lanesPerWarp];
    for (int i = 0; i < count; ++i) {
        found[i] = lines + std::uint64_t(setOf((sectors[i] >> 2) + 1, sets)) * 16;
        __builtin_prefetch(found[i], 1);
    }
    int misses = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t line = (sectors[i] >> 2) + 1;
        const std::uint32_t bit = 1u << (sectors[i] & 3);
        std::uint32_t* set = found[i];
        std::uint32_t match = 0, empty = 0;
#if defined(__AVX512F__)
        const __m512i held = _mm512_srli_epi32(_mm512_loadu_si512(set), 4);
        match = _mm512_cmpeq_epu32_mask(held, _mm512_set1_epi32(static_cast<int>(line)));
        if (!match)
            empty = _mm512_testn_epi32_mask(held, held);
#elif defined(__AVX2__)
        const __m256i wanted = _mm256_set1_epi32(static_cast<int>(line));
        const __m256i low = _mm256_srli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set)), 4);
        const __m256i high =
            _mm256_srli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set + 8)), 4);
        auto bits = [](__m256i l, __m256i h) {
            return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(l))) |
                   static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(h))) << 8;
        };
        match = bits(_mm256_cmpeq_epi32(low, wanted), _mm256_cmpeq_epi32(high, wanted));
        if (!match)
            empty = bits(_mm256_cmpeq_epi32(low, _mm256_setzero_si256()),
                         _mm256_cmpeq_epi32(high, _mm256_setzero_si256()));
#else
        for (int w = 0; w < 16; ++w) {
            match |= (set[w] >> 4 == line ? 1u : 0u) << w;
            empty |= (set[w] == 0 ? 1u : 0u) << w;
        }
#endif
        if (match) {
            std::uint32_t& entry = set[__builtin_ctz(match)];
            missed[misses] = sectors[i];
            misses += (entry & bit) == 0;
            entry |= bit;
            continue;
        }
        // Any victim would do; this choice is the same on every machine.
        const int victim = empty ? __builtin_ctz(empty) : static_cast<int>((++*clock * 2654435761u) >> 28);
        set[victim] = line << 4 | bit;
        missed[misses++] = sectors[i];
    }
    return misses;
}

} // namespace

} // namespace sparserl::sim
