// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/memory/faults.h"

#include <fmt/format.h>

namespace sparserl::sim {

bool Faults::report(const WarpPlace& place, const Insn& insn, int lane, FaultKind kind, std::string message)
{
    Fault result;
    result.kind = kind;
    result.kernel = m_code.name;
    result.line = m_code.lines[insn.lineIndex];
    result.block = m_shape.blockIndex(place.block);
    result.thread = m_shape.threadIndex(place.warp, lane);
    result.message = std::move(message);
    m_fault = std::move(result);
    return false;
}

std::string Faults::threadName(std::uint32_t globalWarp, int lane, std::uint32_t seenFrom) const
{
    const auto warps = static_cast<std::uint32_t>(m_shape.warpsPerBlock());
    const std::uint32_t number = globalWarp / warps;
    const std::int64_t thread = std::int64_t(globalWarp % warps) * lanesPerWarp + lane;
    if (number == seenFrom)
        return fmt::format("thread {} of the same block", thread);
    return fmt::format("thread {} of block {}", thread, number);
}

} // namespace sparserl::sim
