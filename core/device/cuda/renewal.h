// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl::cuda {

/// What happens to memory between two samples of a timing, on the GPU's stream: everything that calls may
/// write gets poison that they cannot foresee, and every input other values than it ever had (random signs,
/// which keep it the kind of input that it is). The lines of both are then in L2 and dirty, as where the
/// operation before left them.
class Renewal
{
public:
    /// `writable` in bytes. Without `newSigns` inputs are written as they are.
    static Result<Renewal> make(Gpu& gpu, const std::vector<Range>& writable, const InputRanges& inputs,
                                std::uint64_t seed, bool newSigns = true);

    /// The signs that inputs have now derive from both (sparserl_signs); state 0: they are as they came.
    std::uint64_t seed() const { return m_seed; }
    std::uint32_t state() const { return m_state; }
    Status renew();
    /// Every input as it came; what was written to it by others meanwhile shows.
    Status restore();

private:
    explicit Renewal(Gpu& gpu, std::uint64_t seed)
        : m_gpu(&gpu)
        , m_seed(seed)
    {
    }
    Status moveTo(std::uint32_t state);

    Gpu* m_gpu;
    std::uint64_t m_seed;
    bool m_newSigns = true;
    DeviceMemory m_tables;
    unsigned m_writable = 0, m_inputs = 0;
    std::uint32_t m_inputWords = 1;                  ///< Of an element.
    std::uint64_t m_mostWritten = 0, m_mostRead = 0; ///< Words of an area, elements of one.
    std::uint32_t m_state = 0, m_renewals = 0;
};

} // namespace sparserl::cuda
