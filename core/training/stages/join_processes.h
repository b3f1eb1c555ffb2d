// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/process_group.h"
#include "training/work/process_place.h"

#include <chrono>
#include <memory>
#include <string>

namespace sparserl {

/// The meeting point of a run's processes: a TCPStore of torch's c10d, served by process 0.
class MeetingPlace
{
public:
    /// Opens it (process 0) or connects to it. Fails after `patience`.
    static Result<MeetingPlace> open(const ProcessPlace& place, std::chrono::milliseconds patience);
    MeetingPlace(MeetingPlace&&) noexcept;
    MeetingPlace& operator=(MeetingPlace&&) noexcept;
    ~MeetingPlace();

    int port() const;
    /// Leaves a message for waiting processes, for example that a process has ended. Callable from any
    /// thread.
    void reportFailure(const std::string& sentence) const;
    /// Waits for all processes and connects them over Gloo. The Error names the processes that did not arrive
    /// in time.
    Result<std::shared_ptr<ProcessGroup>> join() const;

private:
    struct Impl;
    explicit MeetingPlace(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Announces the model's device of each process: its GPU number, or -1. If possible, sums on GPUs then go
/// directly between them. Every process of a group must call it. Returns a sentence for the journal about the
/// method of summation; empty on CPUs and for one process.
std::string useGpu(ProcessGroup& processes, int device);

} // namespace sparserl
