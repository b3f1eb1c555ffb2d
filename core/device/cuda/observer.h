// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"
#include "device/cuda/measurement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl::cuda {

/// Keeps one word of scratch memory of every call of a sample, so that it can be tested whether what programs
/// can read tells calls that are compared from others. For audits; nothing is kept in ordinary measurements.
class Observer
{
public:
    static Result<Observer> make(Gpu& gpu);

    /// A call of a sequence: where its word lies, and what it is.
    struct Call
    {
        CUdeviceptr word = 0;
        bool timed = false, looked = false;
    };
    int watch(std::vector<Call> calls);
    /// Enqueues copies of the words that a sequence has left. `label` in place of `looked` where given.
    Status record(int sequence, std::optional<bool> label);
    /// Waits.
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
