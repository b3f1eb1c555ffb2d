// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/process_group.h"
#include "training/work/process_place.h"

#include <chrono>
#include <memory>
#include <string>

namespace sparserl {

/// Where the processes of a run find each other: a TCPStore of torch's c10d, which process 0 serves.
class MeetingPlace
{
public:
    /// Opens it (process 0) or goes there; fails with a sentence where that takes longer than `patience`.
    static Result<MeetingPlace> open(const ProcessPlace& place, std::chrono::milliseconds patience);
    MeetingPlace(MeetingPlace&&) noexcept;
    MeetingPlace& operator=(MeetingPlace&&) noexcept;
    ~MeetingPlace();

    int port() const;
    /// Leaves a sentence for those that wait here, for instance that a process has ended. From any thread.
    void reportFailure(const std::string& sentence) const;
    /// Waits until all have come and connects them over Gloo. Fails with a sentence that names those that
    /// have not come in time.
    Result<std::shared_ptr<ProcessGroup>> join() const;

private:
    struct Impl;
    explicit MeetingPlace(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Where each process has its model: the number of its GPU, or -1. Sums on GPUs go directly between them from
/// then on if they can. Every process of a group calls it; a sentence for the journal about how sums go,
/// empty on CPUs and for one process.
std::string useGpu(ProcessGroup& processes, int device);

} // namespace sparserl
