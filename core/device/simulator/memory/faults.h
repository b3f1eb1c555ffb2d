// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fault.h"
#include "device/simulator/decode/kernel_code.h"

#include <array>
#include <optional>
#include <string>

namespace sparserl::sim {

/// The grid and block sizes of a launch.
struct LaunchShape
{
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};

    std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
    std::int64_t threads() const { return block[0] * block[1] * block[2]; } ///< Number of threads per block.
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

/// Identifies a warp of a launch by its block and its number in the block.
struct WarpPlace
{
    std::uint32_t block = 0; ///< Number of the block in the grid.
    int warp = 0;
};

/// Keeps the fault of a launch.
class Faults
{
public:
    Faults(const KernelCode& code, const LaunchShape& shape)
        : m_code(code)
        , m_shape(shape)
    {
    }
    /// Reports a fault. Always returns false.
    bool report(const WarpPlace& place, const Insn& insn, int lane, FaultKind kind, std::string message);
    /// Returns a description of a thread for a reader in block `seenFrom`: "thread 5 of the same block".
    /// `globalWarp` is the number of the thread's warp in the grid.
    std::string threadName(std::uint32_t globalWarp, int lane, std::uint32_t seenFrom) const;

    explicit operator bool() const { return m_fault.has_value(); }
    std::optional<Fault> take() { return std::move(m_fault); }

private:
    const KernelCode& m_code;
    const LaunchShape& m_shape;
    std::optional<Fault> m_fault;
};

} // namespace sparserl::sim
