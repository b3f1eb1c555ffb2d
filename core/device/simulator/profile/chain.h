// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/launch_profile.h"

#include <algorithm>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sparserl::sim {

/// A point in time, given by the steps of every kind (launch_profile.h) on the longest chain before it: eight
/// numbers that grow, and are joined element by element.
class Chain
{
public:
    static constexpr std::size_t size = 8;
    static_assert(static_cast<std::size_t>(Step::Count) == size && at(Step::Clocks) == 0);

    float operator[](Step step) const
    {
        float steps[size];
        store(steps);
        return steps[at(step)];
    }
    void set(Step step, float value)
    {
        float steps[size];
        store(steps);
        steps[at(step)] = value;
        load(steps);
    }
#ifdef __SSE2__
    /// Sets each number to the maximum of both chains.
    void join(const Chain& other)
    {
        m_low = _mm_max_ps(m_low, other.m_low);
        m_high = _mm_max_ps(m_high, other.m_high);
    }
    void add(const Chain& other)
    {
        m_low = _mm_add_ps(m_low, other.m_low);
        m_high = _mm_add_ps(m_high, other.m_high);
    }
    /// Adds clocks. Works in registers, because a scalar store before a vector load would stall.
    void addClocks(float clocks)
    {
        m_low = _mm_add_ps(m_low, _mm_set_ss(clocks));
    }
    /// Raises the clocks to at least this number.
    void joinClocks(float clocks)
    {
        m_low = _mm_max_ps(m_low, _mm_set_ss(clocks));
    }
    float clocks() const
    {
        return _mm_cvtss_f32(m_low);
    }
    void store(float* steps) const
    {
        _mm_storeu_ps(steps, m_low);
        _mm_storeu_ps(steps + 4, m_high);
    }
    void load(const float* steps)
    {
        m_low = _mm_loadu_ps(steps);
        m_high = _mm_loadu_ps(steps + 4);
    }

private:
    __m128 m_low = _mm_setzero_ps(), m_high = _mm_setzero_ps();
#else
    void join(const Chain& other)
    {
        for (std::size_t i = 0; i < size; ++i)
            m_steps[i] = std::max(m_steps[i], other.m_steps[i]);
    }
    void add(const Chain& other)
    {
        for (std::size_t i = 0; i < size; ++i)
            m_steps[i] += other.m_steps[i];
    }
    void addClocks(float clocks)
    {
        m_steps[0] += clocks;
    }
    void joinClocks(float clocks)
    {
        m_steps[0] = std::max(m_steps[0], clocks);
    }
    float clocks() const
    {
        return m_steps[0];
    }
    void store(float* steps) const
    {
        std::copy_n(m_steps, size, steps);
    }
    void load(const float* steps)
    {
        std::copy_n(steps, size, m_steps);
    }

private:
    float m_steps[size] = {};
#endif
};

/// Returns the approximate time of a chain in clocks of a typical GPU. Use it only to compare chains and to
/// group blocks.
inline float nominalClocks(const Chain& chain)
{
    constexpr float clocks[] = {1, 34, 200, 350, 25, 20, 500, 2};
    float steps[Chain::size], sum = 0;
    chain.store(steps);
    for (std::size_t i = 0; i < Chain::size; ++i)
        sum += steps[i] * clocks[i];
    return sum;
}

/// How far a warp has advanced in time. The PTX order of independent instructions means little, because the
/// assembler moves loads ahead of unrelated instructions. Within a basic block, an instruction therefore
/// starts as soon as its operands are ready. Only the end of the block (a branch, a branch target, a barrier)
/// waits until everything has been issued.
struct WarpTimeline
{
    Chain base;       ///< Start of the current basic block.
    Chain last;       ///< Issue of the latest instruction in the block.
    Chain stored;     ///< Issue of the latest store in the block. Ordinary loads do not overtake it.
    float issued = 0; ///< Number of instructions issued in the block.

    void closeRun(float extraClocks)
    {
        const float inOrder = base.clocks() + issued + extraClocks;
        base.join(last);
        base.joinClocks(inOrder);
        last = base;
        issued = 0;
    }
};

} // namespace sparserl::sim
