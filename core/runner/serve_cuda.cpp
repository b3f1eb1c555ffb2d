// SPDX-License-Identifier: Apache-2.0
#include "runner/cuda_role.h"

#include "base/time.h"
#include "runner/roles.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace sparserl {

namespace {

/// A job between the thread that reads and the thread of the GPU.
struct Prepared
{
    nlohmann::json id;
    Result<std::shared_ptr<CudaRole::Work>> work;
};

/// At most one prepared job waits; more would only hold memory.
class Handover
{
public:
    void put(std::optional<Prepared> job)
    {
        std::unique_lock lock(m_mutex);
        m_taken.wait(lock, [&] { return m_jobs.empty(); });
        m_jobs.push_back(std::move(job));
        m_put.notify_one();
    }
    std::optional<Prepared> take()
    {
        std::unique_lock lock(m_mutex);
        m_put.wait(lock, [&] { return !m_jobs.empty(); });
        auto job = std::move(m_jobs.front());
        m_jobs.pop_front();
        m_taken.notify_one();
        return job;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_put, m_taken;
    std::deque<std::optional<Prepared>> m_jobs;
};

} // namespace

int serveCuda(Channel& channel, RunnerGpu& gpu, int programs,
              const std::function<void(nlohmann::json& answer)>& finish)
{
    CudaRole role(gpu);
    Handover handover;
    std::thread reader([&] {
        for (;;) {
            auto message = channel.receive();
            // The parent is gone, or does not speak our language; a kernel that never ends must not keep the
            // process alive.
            if (!message)
                ::_exit(3);
            if (!*message)
                ::_exit(0);
            nlohmann::json id = (*message)->body.value("id", nlohmann::json());
            handover.put(Prepared{std::move(id), role.prepare(std::move(**message))});
        }
    });
    reader.detach();
    double cpuBefore = threadCpuSeconds();
    for (int i = 0; i < programs; ++i) {
        auto job = handover.take();
        auto answer = job->work ? role.run(**job->work) : fail(job->work.error());
        job->work = fail("done"); // The matrices' formats go before the next ones come.
        const bool last = i + 1 == programs || gpu.poisoned();
        nlohmann::json body = answer ? std::move(*answer) : failedAnswer(answer.error());
        body["id"] = std::move(job->id);
        body["last"] = last;
        const double cpu = threadCpuSeconds();
        body["cpu"] = cpu - cpuBefore; // Of the GPU's thread: it waits by spinning.
        cpuBefore = cpu;
        if (finish)
            finish(body);
        if (!channel.send(body))
            ::_exit(3);
        if (last)
            break;
    }
    // Not by way of destructors: a driver with a broken context may hang in them.
    ::_exit(0);
}

} // namespace sparserl
