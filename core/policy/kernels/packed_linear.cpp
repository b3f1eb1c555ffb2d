// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/packed_linear.h"

#include "policy/kernels/simd.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace sparserl {

namespace {

template <int bytes>
struct Lanes
{
    using Vector __attribute__((vector_size(bytes), aligned(4), may_alias)) = float;
};

/// What one processor multiplies with: two vectors of outputs and as many rows as leave room for the sums in
/// its registers.
struct Kernel
{
    std::int64_t width; ///< Outputs of a panel.
    void (*panel)(const float* x, std::int64_t rows, std::int64_t in, const float* panel, float* y,
                  std::int64_t out, std::int64_t columns, bool accumulate);
};

/// y [rows, out] of one panel's `columns`, as in PackedLinear::apply.
template <int bytes, int rows>
inline __attribute__((always_inline)) void multiply(const float* __restrict x, std::int64_t in,
                                                    const float* __restrict panel, float* __restrict y,
                                                    std::int64_t out, std::int64_t columns, bool accumulate)
{
    using Vector = typename Lanes<bytes>::Vector;
    constexpr int lanes = bytes / 4;
    Vector low[rows], high[rows];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
        low[r] = high[r] = Vector{};
    for (std::int64_t i = 0; i < in; ++i) {
        const Vector a = *reinterpret_cast<const Vector*>(panel + i * 2 * lanes);
        const Vector b = *reinterpret_cast<const Vector*>(panel + i * 2 * lanes + lanes);
#pragma GCC unroll 16
        for (int r = 0; r < rows; ++r) {
            low[r] += a * x[r * in + i];
            high[r] += b * x[r * in + i];
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
        float* to = y + r * out;
        if (columns == 2 * lanes) {
            Vector& first = *reinterpret_cast<Vector*>(to);
            Vector& second = *reinterpret_cast<Vector*>(to + lanes);
            first = accumulate ? first + low[r] : low[r];
            second = accumulate ? second + high[r] : high[r];
            continue;
        }
        for (std::int64_t c = 0; c < columns; ++c) {
            const float sum = c < lanes ? low[r][c] : high[r][c - lanes];
            to[c] = accumulate ? to[c] + sum : sum;
        }
    }
}

/// `count` rows, of 1 to `rows`.
template <int bytes, int rows>
inline __attribute__((always_inline)) void multiplyFew(std::int64_t count, const float* x, std::int64_t in,
                                                       const float* panel, float* y, std::int64_t out,
                                                       std::int64_t columns, bool accumulate)
{
    if (count == rows)
        multiply<bytes, rows>(x, in, panel, y, out, columns, accumulate);
    else if constexpr (rows > 1)
        multiplyFew<bytes, rows - 1>(count, x, in, panel, y, out, columns, accumulate);
}

/// Rows in as few blocks as hold them, about equal.
template <int bytes, int most>
inline __attribute__((always_inline)) void multiplyAll(const float* x, std::int64_t rows, std::int64_t in,
                                                       const float* panel, float* y, std::int64_t out,
                                                       std::int64_t columns, bool accumulate)
{
    for (std::int64_t blocks = (rows + most - 1) / most; blocks > 0; --blocks) {
        const std::int64_t now = (rows + blocks - 1) / blocks;
        multiplyFew<bytes, most>(now, x, in, panel, y, out, columns, accumulate);
        rows -= now, x += now * in, y += now * out;
    }
}

void plain(const float* x, std::int64_t rows, std::int64_t in, const float* panel, float* y, std::int64_t out,
           std::int64_t columns, bool accumulate)
{
    multiplyAll<16, 4>(x, rows, in, panel, y, out, columns, accumulate);
}

#ifdef SPARSERL_HAS_TARGETS
__attribute__((target("avx2,fma"))) void avx2(const float* x, std::int64_t rows, std::int64_t in,
                                              const float* panel, float* y, std::int64_t out,
                                              std::int64_t columns, bool accumulate)
{
    multiplyAll<32, 6>(x, rows, in, panel, y, out, columns, accumulate);
}

__attribute__((target("avx512f,fma"))) void avx512(const float* x, std::int64_t rows, std::int64_t in,
                                                   const float* panel, float* y, std::int64_t out,
                                                   std::int64_t columns, bool accumulate)
{
    multiplyAll<64, 8>(x, rows, in, panel, y, out, columns, accumulate);
}
#endif

const Kernel& kernel()
{
    static const Kernel chosen = [] {
#ifdef SPARSERL_HAS_TARGETS
        if (__builtin_cpu_supports("avx512f"))
            return Kernel{32, avx512};
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return Kernel{16, avx2};
#endif
        return Kernel{8, plain};
    }();
    return chosen;
}

} // namespace

PackedLinear::PackedLinear(const float* weight, std::int64_t out, std::int64_t in)
    : m_out(out)
    , m_in(in)
{
    const std::int64_t width = kernel().width, panels = (out + width - 1) / width;
    constexpr std::size_t line = 64;
    const std::size_t bytes = std::size_t(panels * in * width) * sizeof(float);
    auto* data = static_cast<float*>(std::aligned_alloc(line, (bytes + line - 1) / line * line));
    if (!data)
        throw std::bad_alloc();
    m_panels.reset(data, std::free);
    for (std::int64_t p = 0; p < panels; ++p) {
        float* panel = data + p * in * width;
        for (std::int64_t c = 0; c < width; ++c) {
            const float* row = p * width + c < out ? weight + (p * width + c) * in : nullptr;
            for (std::int64_t i = 0; i < in; ++i)
                panel[i * width + c] = row ? row[i] : 0.0f;
        }
    }
}

void PackedLinear::apply(const float* x, std::int64_t rows, float* y, bool accumulate) const
{
    const Kernel& k = kernel();
    for (std::int64_t first = 0; first < m_out; first += k.width)
        k.panel(x, rows, m_in, m_panels.get() + first * m_in, y + first, m_out,
                std::min(k.width, m_out - first), accumulate);
}

} // namespace sparserl
