// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/system_sampler.h"

#include <chrono>
#include <memory>
#include <thread>

namespace sparserl {

/// Observes this process and its machine on a separate thread, so a driver that is slow or does not answer
/// never delays work.
class SystemMonitor
{
public:
    explicit SystemMonitor(SystemSources sources, std::chrono::milliseconds period = std::chrono::seconds(1));
    ~SystemMonitor();
    SystemMonitor(const SystemMonitor&) = delete;
    SystemMonitor& operator=(const SystemMonitor&) = delete;

    /// Returns the use from the last call (or from the start) until now, or until the last sample if no
    /// sample arrives within a fifth of a second.
    SystemUse take();

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared; ///< Outlives the monitor if a driver does not answer.
    std::thread m_thread;
};

} // namespace sparserl
