// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/judge_ahead.h"

#include "base/interruption.h"
#include "training/work/stage_context.h"

#include <chrono>

namespace sparserl {

JudgeAhead::JudgeAhead(Judging judging)
    : m_judging(std::move(judging))
    , m_thread([this](const std::stop_token& stop) { work(stop); })
{
}

JudgeAhead::~JudgeAhead()
{
    m_thread.request_stop();
    m_changed.notify_all();
}

void JudgeAhead::work(const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return m_asked.has_value(); })) {
        const auto& requests = *m_asked; // stays while it is there, and only this thread takes it away
        const CancelToken cancel = m_cancel;
        lock.unlock();
        const Stopwatch watch;
        auto records = m_judging(requests, cancel, [this](std::size_t done) { m_done = done; });
        lock.lock();
        m_seconds = watch.seconds();
        m_records.emplace(std::move(records));
        m_asked.reset();
        m_changed.notify_all();
    }
}

void JudgeAhead::begin(std::vector<CachedJudge::Request> requests, CancelToken cancel)
{
    wait();
    const std::lock_guard lock(m_mutex);
    m_done = 0;
    m_records.reset();
    m_cancel = std::move(cancel);
    m_asked = std::move(requests);
    m_changed.notify_all();
}

void JudgeAhead::wait(const Pulse& pulse)
{
    constexpr std::chrono::milliseconds between(100);
    std::unique_lock lock(m_mutex);
    while (!m_changed.wait_for(lock, between, [this] { return !m_asked.has_value(); })) {
        if (!pulse)
            continue;
        lock.unlock(); // it may take a while
        pulse(m_done);
        lock.lock();
    }
}

JudgeAhead::Records JudgeAhead::take(const Pulse& pulse)
{
    wait(pulse);
    const std::lock_guard lock(m_mutex);
    Records records = m_records ? std::move(*m_records) : Records(fail(interruption()));
    m_records.reset();
    return records;
}

} // namespace sparserl
