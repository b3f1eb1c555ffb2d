// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/launch_profile.h"

#include <algorithm>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace sparserl::sim {

/// When something happens, as counts of steps of every kind (launch_profile.h) on the longest chain before
/// it: eight numbers that grow and join element by element.
struct alignas(16) Chain
{
    float steps[static_cast<std::size_t>(Step::Count)] = {};

    float& operator[](Step step) { return steps[at(step)]; }
    float operator[](Step step) const { return steps[at(step)]; }
    /// Not before `other`.
    void join(const Chain& other)
    {
        static_assert(sizeof(steps) == 32);
#ifdef __SSE2__
        _mm_store_ps(steps, _mm_max_ps(_mm_load_ps(steps), _mm_load_ps(other.steps)));
        _mm_store_ps(steps + 4, _mm_max_ps(_mm_load_ps(steps + 4), _mm_load_ps(other.steps + 4)));
#else
        for (std::size_t i = 0; i < 8; ++i)
            steps[i] = std::max(steps[i], other.steps[i]);
#endif
    }
    void add(const Chain& other)
    {
#ifdef __SSE2__
        _mm_store_ps(steps, _mm_add_ps(_mm_load_ps(steps), _mm_load_ps(other.steps)));
        _mm_store_ps(steps + 4, _mm_add_ps(_mm_load_ps(steps + 4), _mm_load_ps(other.steps + 4)));
#else
        for (std::size_t i = 0; i < 8; ++i)
            steps[i] += other.steps[i];
#endif
    }
    /// Clocks on a typical GPU: only to compare chains and to group blocks.
    float nominal() const
    {
        constexpr float clocks[] = {1, 34, 200, 350, 25, 20, 500, 2};
        float sum = 0;
        for (std::size_t i = 0; i < 8; ++i)
            sum += steps[i] * clocks[i];
        return sum;
    }
};

/// Where a warp is in time. The PTX order of independent instructions means little, because the assembler
/// moves loads ahead of what does not need them; so within a straight run of code an instruction happens as
/// soon as its operands are there, and only the end of the run (a branch, a branch target, a barrier) waits
/// for everything to have been issued.
struct WarpTimeline
{
    Chain base;       ///< The current run of code began.
    Chain last;       ///< Its latest instruction so far was issued.
    Chain stored;     ///< Its latest store so far was issued: ordinary loads stay behind it.
    float issued = 0; ///< Instructions of the run.

    void closeRun(float extraClocks)
    {
        const float inOrder = base[Step::Clocks] + issued + extraClocks;
        base.join(last);
        base[Step::Clocks] = std::max(base[Step::Clocks] + extraClocks, inOrder);
        last = base;
        issued = 0;
    }
};

} // namespace sparserl::sim
