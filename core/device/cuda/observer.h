// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"
#include "device/cuda/measurement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl::cuda {

/// Keeps one word of scratch memory from every call of a sample, to test whether programs can distinguish the
/// calls whose results are compared from the other timed calls. For audits; an ordinary measurement does not
/// use it.
class Observer
{
public:
    static Result<Observer> make(Gpu& gpu);

    /// A call of a sequence: where its word is, and its role.
    struct Call
    {
        CUdeviceptr word = 0;
        bool timed = false, looked = false;
    };
    int watch(std::vector<Call> calls);
    /// Enqueues copies of the words that the calls of a sequence wrote. A `label` replaces the value of
    /// `looked`.
    Status record(int sequence, std::optional<bool> label);
    /// Waits for the copies and returns them.
    Result<std::vector<ObservedCall>> finish();

private:
    explicit Observer(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    Gpu* m_gpu;
    DeviceMemory m_words;
    std::vector<std::vector<Call>> m_sequences;
    std::vector<ObservedCall> m_calls;
    int m_samples = 0;
};

} // namespace sparserl::cuda
