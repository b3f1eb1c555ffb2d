// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl::cuda {

/// Renews memory between two samples on the GPU's stream. Writable memory gets unpredictable poison, and
/// every input gets values that it never had before: their signs are random, and their other properties are
/// those of the original values. Afterwards the lines of inputs and writable memory are dirty in L2, as after
/// a preceding operation.
class Renewal
{
public:
    /// `writable` has sizes in bytes. Without `newSigns`, renewal rewrites inputs unchanged.
    static Result<Renewal> make(Gpu& gpu, const std::vector<Range>& writable, const InputRanges& inputs,
                                std::uint64_t seed, bool newSigns = true);

    /// The current signs of inputs follow from seed() and state() (sparserl_signs). State 0 means the
    /// original signs.
    std::uint64_t seed() const { return m_seed; }
    std::uint32_t state() const { return m_state; }
    Status renew();
    /// Restores the original values of every input and overwrites any other changes.
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
    std::uint32_t m_inputWords = 1; ///< Words per element of an input.
    std::uint64_t
        m_mostWritten = 0,
        m_mostRead =
            0; ///< Size of the largest writable range in words, and of the largest input range in elements.
    std::uint32_t m_state = 0, m_renewals = 0;
};

} // namespace sparserl::cuda
