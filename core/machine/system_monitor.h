// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/system_sampler.h"

#include <chrono>
#include <memory>
#include <thread>

namespace sparserl {

/// Watches what this process and its machine do, on a thread of its own: work is never held up by a driver
/// that takes its time, or does not answer at all.
class SystemMonitor
{
public:
    explicit SystemMonitor(SystemSources sources, std::chrono::milliseconds period = std::chrono::seconds(1));
    ~SystemMonitor();
    SystemMonitor(const SystemMonitor&) = delete;
    SystemMonitor& operator=(const SystemMonitor&) = delete;

    /// Since it was called last, or since the start, up to now; where no sample can be had in a fifth of a
    /// second, up to the last one.
    SystemUse take();

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared; ///< Outlives the monitor where a driver does not answer.
    std::thread m_thread;
};

} // namespace sparserl
