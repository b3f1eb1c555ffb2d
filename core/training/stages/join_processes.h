// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/process_group.h"
#include "training/work/process_place.h"

#include <chrono>
#include <memory>
#include <string>

namespace sparserl {

/// The place where the processes of a run meet: a TCPStore of torch's c10d, which process 0 serves.
class MeetingPlace
{
public:
    /// Opens the meeting place in process 0, and connects to it in the others. Fails after `patience`.
    static Result<MeetingPlace> open(const ProcessPlace& place, std::chrono::milliseconds patience);
    MeetingPlace(MeetingPlace&&) noexcept;
    MeetingPlace& operator=(MeetingPlace&&) noexcept;
    ~MeetingPlace();

    int port() const;
    /// Leaves a message for waiting processes, for example that a process has ended. May be called from any
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

/// Tells the other processes which device runs this process's model: the number of a GPU, or -1 for the CPU.
/// If possible, sums are then exchanged directly between GPUs. Every process of a group must call this
/// function. Returns a sentence for the journal about the way gradients are summed; empty on CPUs and for one
/// process.
std::string useGpu(ProcessGroup& processes, int device);

} // namespace sparserl
