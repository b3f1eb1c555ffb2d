// SPDX-License-Identifier: Apache-2.0
#include "machine/system_monitor.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace sparserl {

struct SystemMonitor::Shared
{
    std::mutex mutex;
    std::condition_variable wake, answered;
    bool stop = false, ended = false;
    std::uint64_t asked = 0, served = 0; ///< Samples that somebody waits for.
    SystemAccount account;

    void run(SystemSources sources, std::chrono::milliseconds period);
};

void SystemMonitor::Shared::run(SystemSources sources, std::chrono::milliseconds period)
{
    const SystemSampler sampler(std::move(sources));
    std::unique_lock lock(mutex);
    while (!stop) {
        const auto serves = asked;
        lock.unlock();
        const SystemSample sample = sampler.sample();
        lock.lock();
        account.add(sample);
        served = serves;
        answered.notify_all();
        wake.wait_for(lock, period, [&] { return stop || asked != served; });
    }
}

SystemMonitor::SystemMonitor(SystemSources sources, std::chrono::milliseconds period)
    : m_shared(std::make_shared<Shared>())
{
    const auto work = [shared = m_shared, sources = std::move(sources), period] {
        try {
            shared->run(sources, period);
        } catch (const std::exception&) {
            // Out of memory: what remains of the run is not watched.
        }
        const std::lock_guard lock(shared->mutex);
        shared->ended = true;
        shared->answered.notify_all();
    };
    try {
        m_thread = std::thread(work);
    } catch (const std::system_error&) {
        m_shared->ended = true; // no thread is left to this user: a run goes on without
    }
}

SystemMonitor::~SystemMonitor()
{
    if (!m_thread.joinable())
        return;
    std::unique_lock lock(m_shared->mutex);
    m_shared->stop = true;
    m_shared->wake.notify_all();
    const bool ended =
        m_shared->answered.wait_for(lock, std::chrono::seconds(2), [&] { return m_shared->ended; });
    lock.unlock();
    if (ended)
        m_thread.join();
    else
        m_thread.detach(); // it hangs in the driver; what it touches stays with it
}

SystemUse SystemMonitor::take()
{
    std::unique_lock lock(m_shared->mutex);
    const auto wanted = ++m_shared->asked;
    m_shared->wake.notify_all();
    m_shared->answered.wait_for(lock, std::chrono::milliseconds(200),
                                [&] { return m_shared->served >= wanted || m_shared->ended; });
    return m_shared->account.take();
}

} // namespace sparserl
