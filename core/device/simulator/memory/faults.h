// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fault.h"
#include "device/simulator/decode/kernel_code.h"

#include <array>
#include <optional>
#include <string>

namespace sparserl::sim {

/// The size of a launch.
struct LaunchShape
{
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};

    std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
    std::int64_t threads() const { return block[0] * block[1] * block[2]; } ///< Per block.
    int warpsPerBlock() const { return static_cast<int>((threads() + lanesPerWarp - 1) / lanesPerWarp); }
    std::array<std::int64_t, 3> blockIndex(std::uint32_t number) const
    {
        return {number % grid[0], number / grid[0] % grid[1], number / (grid[0] * grid[1])};
    }
    std::array<std::int64_t, 3> threadIndex(int warp, int lane) const
    {
        const std::int64_t t = std::int64_t(warp) * lanesPerWarp + lane;
        return {t % block[0], t / block[0] % block[1], t / (block[0] * block[1])};
    }
};

/// A warp and its block.
struct WarpPlace
{
    std::uint32_t block = 0; ///< Its number in the grid.
    int warp = 0;
};

/// The faults of a launch.
class Faults
{
public:
    Faults(const KernelCode& code, const LaunchShape& shape)
        : m_code(code)
        , m_shape(shape)
    {
    }
    /// Always false.
    bool report(const WarpPlace& place, const Insn& insn, int lane, FaultKind kind, std::string message);
    /// "thread 5 of the same block", as seen from a thread of `seenFrom`; `globalWarp` counts through the
    /// grid.
    std::string threadName(std::uint32_t globalWarp, int lane, std::uint32_t seenFrom) const;

    explicit operator bool() const { return m_fault.has_value(); }
    std::optional<Fault> take() { return std::move(m_fault); }

private:
    const KernelCode& m_code;
    const LaunchShape& m_shape;
    std::optional<Fault> m_fault;
};

} // namespace sparserl::sim
