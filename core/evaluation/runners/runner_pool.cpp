// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/runner_pool.h"

#include "evaluation/runners/runner_slot.h"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <tuple>

namespace sparserl {

namespace {

/// A GPU's process gets its next job early: it reads and binds it while the first is measured.
constexpr std::size_t jobsOfCudaRunner = 2;

} // namespace

std::string_view nameOf(RunnerRole role)
{
    return role == RunnerRole::Compile ? "compile" : role == RunnerRole::Sim ? "sim" : "cuda";
}

RunnerPool::RunnerPool(PoolOptions options)
    : m_options(std::move(options))
{
}

RunnerPool::~RunnerPool() = default;

Result<std::unique_ptr<RunnerPool>> RunnerPool::start(PoolOptions options)
{
    std::unique_ptr<RunnerPool> pool(new RunnerPool(std::move(options)));
    const auto add = [&](RunnerRole role, int gpu) {
        auto slot = std::make_unique<Slot>();
        slot->role = role;
        slot->gpu = gpu;
        pool->m_slots.push_back(std::move(slot));
    };
    for (const int gpu : pool->m_options.gpus)
        add(RunnerRole::Cuda, gpu);
    for (const auto role : {RunnerRole::Compile, RunnerRole::Sim})
        for (int i = 0; i <= pool->m_options.runners[static_cast<std::size_t>(role)]; ++i)
            add(role, -1);
    for (auto& slot : pool->m_slots)
        SPARSERL_CHECK(pool->startSlot(*slot));
    const auto waitsFor = [&](RunnerRole role) {
        return std::any_of(pool->m_slots.begin(), pool->m_slots.end(),
                           [&](const auto& slot) { return slot->role == role; }) &&
               std::none_of(pool->m_slots.begin(), pool->m_slots.end(),
                            [&](const auto& slot) { return slot->role == role && slot->idle(); });
    };
    while (waitsFor(RunnerRole::Compile) || waitsFor(RunnerRole::Sim) || waitsFor(RunnerRole::Cuda))
        SPARSERL_CHECK(pool->pump(1000));
    return pool;
}

RunnerPool::Served RunnerPool::run(PoolJob job)
{
    return {*this, std::move(job)};
}

void RunnerPool::Served::await_suspend(std::coroutine_handle<> waiting)
{
    m_waiting = waiting;
    m_self = std::make_shared<Served*>(this);
    m_job.done = [self = m_self](JobOutcome outcome) {
        if (*self == nullptr)
            return;
        (*self)->m_outcome = std::move(outcome);
        (*self)->m_waiting.resume();
    };
    m_pool.submit(std::move(m_job));
}

void RunnerPool::submit(PoolJob job)
{
    auto running = std::make_unique<Running>();
    running->job = std::move(job);
    ++m_pending;
    auto& queue = m_queues[static_cast<std::size_t>(running->job.role)];
    if (running->job.urgent)
        queue.push_front(std::move(running));
    else
        queue.push_back(std::move(running));
    dispatch();
}

void RunnerPool::dispatch()
{
    for (const auto role : {RunnerRole::Cuda, RunnerRole::Compile, RunnerRole::Sim})
        dispatch(role);
}

void RunnerPool::dispatch(RunnerRole role)
{
    auto& queue = m_queues[static_cast<std::size_t>(role)];
    for (std::size_t at = 0; at < queue.size();) {
        if (role != RunnerRole::Cuda) {
            const auto busy = std::count_if(m_slots.begin(), m_slots.end(), [&](const auto& slot) {
                return slot->role == role && !slot->jobs.empty();
            });
            if (busy >= m_options.runners[static_cast<std::size_t>(role)])
                return;
        }
        Slot* slot = slotFor(queue[at]->job);
        if (!slot) {
            // One that waits for a new process holds up nobody, where there are other processes.
            if (role == RunnerRole::Cuda || !queue[at]->job.fresh)
                return;
            ++at;
            continue;
        }
        auto job = std::move(queue[at]);
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(at));
        assign(*slot, std::move(job));
    }
}

RunnerPool::Slot* RunnerPool::slotFor(const PoolJob& job)
{
    const std::size_t depth = job.role == RunnerRole::Cuda && !job.fresh ? jobsOfCudaRunner : 1;
    // Prefer a runner with nothing to do, then one that already has the matrices, then one that is not needed
    // as a fresh one.
    Slot *best = nullptr, *used = nullptr;
    bool starting = false;
    std::tuple<std::size_t, std::size_t, bool> bestRank;
    for (const auto& slot : m_slots) {
        starting = starting || (slot->role == job.role && slot->state != Slot::State::Up);
        if (slot->role != job.role || slot->state != Slot::State::Up || slot->jobs.size() >= depth)
            continue;
        if (job.fresh && slot->answered > 0) {
            used = slot.get();
            continue;
        }
        const auto has = static_cast<std::size_t>(
            std::count_if(job.matrices.begin(), job.matrices.end(),
                          [&](const auto& m) { return slot->matrices.contains(m.first); }));
        const std::tuple rank{depth - slot->jobs.size(), has, slot->answered > 0};
        if (!best || rank > bestRank) {
            best = slot.get();
            bestRank = rank;
        }
    }
    if (!best && used && !starting)
        replace(*used); // The job waits for the new process.
    return best;
}

void RunnerPool::assign(Slot& slot, std::unique_ptr<Running> running)
{
    PoolJob& job = running->job;
    running->id = m_nextId++;
    job.body["id"] = running->id;
    std::vector<int> files;
    if (job.memory)
        files.push_back(job.memory->fd());
    if (slot.role != RunnerRole::Compile) {
        auto take = nlohmann::json::array(), drop = nlohmann::json::array();
        ++m_clock;
        std::uint64_t total = 0;
        for (const auto& [key, buffer] : job.matrices) {
            auto [held, fresh] = slot.matrices.try_emplace(key);
            held->second = {buffer->size(), m_clock};
            if (fresh) {
                take.push_back(key);
                files.push_back(buffer->fd());
            }
        }
        for (const auto& [key, held] : slot.matrices)
            total += held.bytes;
        while (total > m_options.matrixBytesPerRunner) {
            const auto oldest = std::min_element(
                slot.matrices.begin(), slot.matrices.end(),
                [](const auto& a, const auto& b) { return a.second.lastUse < b.second.lastUse; });
            if (oldest->second.lastUse == m_clock)
                break; // What this job needs stays, whatever it takes.
            total -= oldest->second.bytes;
            drop.push_back(oldest->first);
            slot.matrices.erase(oldest);
        }
        job.body["take"] = std::move(take);
        job.body["drop"] = std::move(drop);
    }
    slot.jobs.push_back(std::move(running));
    if (slot.jobs.size() == 1)
        slot.setDeadline(job.wallSeconds);
    if (auto queued = slot.channel->queue(job.body, files); !queued) {
        auto failed = std::move(slot.jobs.back());
        slot.jobs.pop_back();
        for (const auto& key : failed->job.body.value("take", nlohmann::json::array()))
            slot.matrices.erase(key.get<std::string>());
        JobOutcome outcome{JobOutcome::Kind::Failed, {}, 0, queued.error().sentence()};
        outcome.unsent = true;
        finish(std::move(failed), std::move(outcome));
        return;
    }
    const auto sent = slot.channel->flush();
    slot.sending = sent && !*sent; // A runner that is gone shows up as the end of its stream.
}

Status RunnerPool::pump(int milliseconds)
{
    if (m_broken)
        return fail(*m_broken);
    for (auto& slot : m_slots)
        if (slot->state == Slot::State::Down)
            SPARSERL_CHECK(startSlot(*slot));
    dispatch();

    using Clock = Slot::Clock;
    const auto now = Clock::now();
    auto until = now + std::chrono::milliseconds(milliseconds);
    std::vector<pollfd> descriptors;
    std::vector<Slot*> owners;
    for (auto& slot : m_slots) {
        if (slot->waits())
            until = std::min(until, slot->deadline);
        descriptors.push_back(
            {slot->channel->fd(), static_cast<short>(slot->sending ? POLLIN | POLLOUT : POLLIN), 0});
        owners.push_back(slot.get());
    }
    if (m_wake >= 0)
        descriptors.push_back({m_wake, POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - now).count();
    ::poll(descriptors.data(), descriptors.size(),
           static_cast<int>(std::max<std::int64_t>(0, left + (left > 0))));

    for (std::size_t i = 0; i < owners.size(); ++i) {
        Slot& slot = *owners[i];
        const auto generation = slot.generation;
        if (descriptors[i].revents & POLLOUT) {
            const auto sent = slot.channel->flush();
            slot.sending = sent && !*sent;
        }
        if (descriptors[i].revents & (POLLIN | POLLHUP | POLLERR))
            SPARSERL_CHECK(handleReadable(slot));
        if (slot.generation == generation && slot.waits() && Clock::now() > slot.deadline)
            handleDeath(slot, true);
    }
    if (m_broken)
        return fail(*m_broken);
    dispatch();
    return {};
}

void RunnerPool::finish(std::unique_ptr<Running> job, JobOutcome outcome)
{
    --m_pending;
    if (job->job.done)
        job->job.done(std::move(outcome));
}

void RunnerPool::abandon()
{
    for (auto& queue : m_queues) {
        m_pending -= queue.size();
        queue.clear();
    }
    for (auto& slot : m_slots)
        if (!slot->jobs.empty()) {
            m_pending -= slot->jobs.size();
            slot->jobs.clear();
            slot->process->killGroup(SIGKILL);
            slot->process->wait();
            slot->channel.reset();
            slot->process.reset();
            slot->state = Slot::State::Down;
        }
}

std::vector<pid_t> RunnerPool::processes(std::optional<RunnerRole> role) const
{
    std::vector<pid_t> ids;
    for (const auto& slot : m_slots)
        if (slot->process && (!role || slot->role == *role))
            ids.push_back(slot->process->pid());
    return ids;
}

void RunnerPool::log(const std::string& sentence) const
{
    if (m_options.log)
        m_options.log(sentence);
}

} // namespace sparserl
