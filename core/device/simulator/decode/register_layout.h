// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/kernel_code.h"

#include <map>
#include <tuple>
#include <utility>

namespace sparserl::sim {

/// Places registers, constants, parameters and special registers in the register file of a warp.
class RegisterLayout
{
public:
    static constexpr std::uint32_t scratchSlot = 0; ///< Where instructions write results for "_".
    static constexpr std::uint32_t wordBytes = 128, wideBytes = 256;

    /// Sets the register fields of `out`.
    explicit RegisterLayout(KernelCode& out)
        : m_out(out)
    {
        m_out.specials.fill(noSlot);
        allot(wideBytes); // scratchSlot
    }
    /// Allocates space that no other register shares, in units of 64 bytes.
    std::uint32_t allot(std::uint32_t bytes);
    /// Returns a slot with `bits` in every lane.
    std::uint32_t constant(std::uint64_t bits, bool wide);
    std::uint32_t special(ptx::SpecialRegister which);
    /// Returns a slot in which every lane holds `bytes` bytes of the parameter block, starting at byte `at`.
    std::uint32_t parameter(std::uint32_t at, int bytes, bool sign, bool wide);

private:
    KernelCode& m_out;
    std::map<std::pair<std::uint64_t, bool>, std::uint32_t> m_constants;
    std::map<std::tuple<std::uint32_t, int, bool, bool>, std::uint32_t> m_parameters;
};

} // namespace sparserl::sim
