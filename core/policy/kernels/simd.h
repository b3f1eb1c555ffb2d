// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

/// Defined if functions may be compiled for processors other than the baseline. With sanitizers, this makes
/// GCC 12 crash; Clang wants clones declared before they are used.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                          \
    !defined(__SANITIZE_THREAD__)
#define SPARSERL_HAS_TARGETS
#endif

/// Compiles a function for AVX-512, AVX2 and the baseline, and selects a version when the program is loaded.
/// Fused multiply-add is off (-ffp-contract=off) and sums have a fixed order, so all three versions give the
/// same bits.
#ifdef SPARSERL_HAS_TARGETS
#define SPARSERL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SPARSERL_CLONES
#endif

namespace sparserl {

/// Returns `second ? b : a`, computed with a mask. For a conditional expression with constants, GCC 12 emits
/// a jump and does not vectorise the loop around it, which makes it eight times slower with AVX2.
inline __attribute__((always_inline)) float select(bool second, float a, float b)
{
    const std::uint32_t mask = 0U - static_cast<std::uint32_t>(second);
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(a) & ~mask) |
                                (std::bit_cast<std::uint32_t>(b) & mask));
}

/// Returns e^x, within 2 ulp for x in [-87, 88]; other x are clamped to this range. It has no branches, so
/// that loops with it are vectorised, unlike loops with std::exp.
inline __attribute__((always_inline)) float fastExp(float x)
{
    x = select(x < -87.0f, x, -87.0f);
    x = select(x > 88.0f, x, 88.0f);
    const float shifted = x * 1.44269504088896341f + 12582912.0f; // 1.5 * 2^23: rounds to the nearest integer
    const float n = shifted - 12582912.0f;
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f; // ln 2 in two parts
    float p = 1.9875691500e-4f;                                  // Cephes expf's polynomial
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const auto exponent = (std::bit_cast<std::int32_t>(shifted) - 0x4B400000 + 127) << 23;
    return p * std::bit_cast<float>(exponent);
}

/// Returns the sum of f(i) for i < n. Computes 16 interleaved partial sums and adds them in pairs, so that
/// the result is the same for every vector width.
template <typename F>
inline __attribute__((always_inline)) float laneSum(std::int64_t n, const F& f)
{
    float part[16] = {};
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        for (int l = 0; l < 16; ++l)
            part[l] += f(i + l);
    }
    for (int l = 0; i < n; ++i, ++l)
        part[l] += f(i);
    for (int width = 8; width > 0; width /= 2) {
        for (int l = 0; l < width; ++l)
            part[l] += part[l + width];
    }
    return part[0];
}

/// Returns the largest f(i) for i < n. n must be at least 1.
template <typename F>
inline __attribute__((always_inline)) float laneMax(std::int64_t n, const F& f)
{
    float part[16];
    for (int l = 0; l < 16; ++l)
        part[l] = f(0);
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
#pragma omp simd // otherwise the compiler unrolls it into scalars before vectorising
        for (int l = 0; l < 16; ++l) {
            const float v = f(i + l);
            part[l] = part[l] < v ? v : part[l];
        }
    }
    for (; i < n; ++i) {
        const float v = f(i);
        part[0] = part[0] < v ? v : part[0];
    }
    for (int width = 8; width > 0; width /= 2) {
        for (int l = 0; l < width; ++l)
            part[l] = part[l] < part[l + width] ? part[l + width] : part[l];
    }
    return part[0];
}

} // namespace sparserl
