// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runner_pool.h"

#include "base/json.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <poll.h>

namespace sparserl {

namespace {

using Clock = std::chrono::steady_clock;

// A job that hangs or loses its runner is our trouble and tried again; a job whose runners crash is the
// program's.
constexpr int maxHangs = 3;
constexpr int maxKills = 10;
constexpr int maxCrashes = 2;
constexpr int maxFailedStarts = 3;
constexpr double startSeconds = 60;

/// Signals that a process gets for what it does itself.
bool isCrash(int signal)
{
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
           signal == SIGILL || signal == SIGSYS || signal == SIGTRAP || signal == SIGXCPU;
}

/// Nothing of the user's environment reaches a runner but what finding libraries takes.
std::vector<std::string> runnerEnvironment()
{
    std::vector<std::string> environment{"LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=1"};
    for (const char* name : {"PATH", "LD_LIBRARY_PATH", "SPARSERL_CUDA_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS"})
        if (const char* value = std::getenv(name))
            environment.push_back(std::string(name) + "=" + value);
    return environment;
}

} // namespace

std::string_view nameOf(RunnerRole role)
{
    return role == RunnerRole::Compile ? "compile" : "sim";
}

/// A job with its history.
struct RunnerPool::Running
{
    PoolJob job;
    std::uint64_t id = 0; ///< Of the present attempt.
    int hangs = 0, kills = 0, crashes = 0;
};

/// A runner process, at any stage of its life.
struct RunnerPool::Slot
{
    enum class State
    {
        Down,
        Starting,
        Idle,
        Busy
    };
    struct Held
    {
        std::uint64_t bytes = 0, lastUse = 0;
    };

    RunnerRole role = RunnerRole::Compile;
    State state = State::Down;
    std::optional<Subprocess> process;
    std::optional<Channel> channel;
    std::unique_ptr<Running> job;
    Clock::time_point deadline;
    bool sending = false;
    std::uint64_t generation = 0;         ///< Counts the processes of this slot.
    std::map<std::string, Held> matrices; ///< What the process holds.
};

RunnerPool::RunnerPool(PoolOptions options)
    : m_options(std::move(options))
{
}

RunnerPool::~RunnerPool() = default;

Result<std::unique_ptr<RunnerPool>> RunnerPool::start(PoolOptions options)
{
    std::unique_ptr<RunnerPool> pool(new RunnerPool(std::move(options)));
    for (const auto role : {RunnerRole::Compile, RunnerRole::Sim})
        for (int i = 0; i <= pool->m_options.runners[static_cast<std::size_t>(role)]; ++i) {
            auto slot = std::make_unique<Slot>();
            slot->role = role;
            pool->m_slots.push_back(std::move(slot));
        }
    for (auto& slot : pool->m_slots)
        if (auto started = pool->startSlot(*slot); !started)
            return fail(started.error());
    const auto ready = [&](RunnerRole role) {
        return std::any_of(pool->m_slots.begin(), pool->m_slots.end(), [&](const auto& slot) {
            return slot->role == role && slot->state == Slot::State::Idle;
        });
    };
    while (!ready(RunnerRole::Compile) || !ready(RunnerRole::Sim))
        if (auto pumped = pool->pump(1000); !pumped)
            return fail(pumped.error());
    return pool;
}

Status RunnerPool::startSlot(Slot& slot)
{
    auto ends = Channel::socketPair();
    if (!ends)
        return fail(ends.error());
    const auto role = static_cast<std::size_t>(slot.role);
    SpawnOptions spawnOptions;
    spawnOptions.argv = {m_options.runnerPath.string(),
                         "--role",
                         std::string(nameOf(slot.role)),
                         "--socket",
                         std::to_string(ends->second.get()),
                         "--memory",
                         std::to_string(m_options.memoryMiB[role]),
                         "--programs",
                         std::to_string(slot.role == RunnerRole::Compile ? m_options.programsPerRunner
                                                                         : m_options.jobsPerSimRunner)};
    spawnOptions.environment = runnerEnvironment();
    spawnOptions.keepDescriptors = {ends->second.get()};
    auto process = spawn(spawnOptions);
    if (!process)
        return fail(process.error());
    slot.process.emplace(std::move(*process));
    slot.channel.emplace(std::move(ends->first));
    slot.matrices.clear();
    slot.sending = false;
    ++slot.generation;
    slot.state = Slot::State::Starting;
    slot.deadline = Clock::now() + std::chrono::milliseconds(static_cast<int>(1000 * startSeconds));
    ++m_statistics.started;
    return {};
}

void RunnerPool::submit(PoolJob job)
{
    auto running = std::make_unique<Running>();
    running->job = std::move(job);
    ++m_pending;
    m_queues[static_cast<std::size_t>(running->job.role)].push_back(std::move(running));
    dispatch();
}

void RunnerPool::dispatch()
{
    for (const auto role : {RunnerRole::Compile, RunnerRole::Sim}) {
        auto& queue = m_queues[static_cast<std::size_t>(role)];
        int busy = 0;
        for (const auto& slot : m_slots)
            busy += slot->role == role && slot->state == Slot::State::Busy;
        while (!queue.empty() && busy < m_options.runners[static_cast<std::size_t>(role)]) {
            // Prefer a runner that already has the matrices.
            Slot* best = nullptr;
            std::size_t bestHas = 0;
            for (const auto& slot : m_slots) {
                if (slot->role != role || slot->state != Slot::State::Idle)
                    continue;
                const auto& wanted = queue.front()->job.matrices;
                const auto has =
                    static_cast<std::size_t>(std::count_if(wanted.begin(), wanted.end(), [&](const auto& m) {
                        return slot->matrices.contains(m.first);
                    }));
                if (!best || has > bestHas) {
                    best = slot.get();
                    bestHas = has;
                }
            }
            if (!best)
                break;
            auto job = std::move(queue.front());
            queue.pop_front();
            assign(*best, std::move(job));
            ++busy;
        }
    }
}

void RunnerPool::assign(Slot& slot, std::unique_ptr<Running> running)
{
    PoolJob& job = running->job;
    running->id = m_nextId++;
    job.body["id"] = running->id;
    std::vector<int> files;
    if (job.memory)
        files.push_back(job.memory->fd());
    if (slot.role == RunnerRole::Sim) {
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
    slot.deadline =
        Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(1000 * job.wallSeconds));
    slot.state = Slot::State::Busy;
    slot.job = std::move(running);
    if (auto queued = slot.channel->queue(slot.job->job.body, files); !queued) {
        auto failed = std::move(slot.job);
        slot.state = Slot::State::Idle;
        finish(std::move(failed), {JobOutcome::Kind::Failed, {}, 0, queued.error().sentence()});
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
            if (auto started = startSlot(*slot); !started)
                return started;
    dispatch();

    const auto now = Clock::now();
    auto until = now + std::chrono::milliseconds(milliseconds);
    std::vector<pollfd> descriptors;
    std::vector<Slot*> owners;
    for (auto& slot : m_slots) {
        if (slot->state == Slot::State::Starting || slot->state == Slot::State::Busy)
            until = std::min(until, slot->deadline);
        descriptors.push_back(
            {slot->channel->fd(), static_cast<short>(slot->sending ? POLLIN | POLLOUT : POLLIN), 0});
        owners.push_back(slot.get());
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - now).count();
    ::poll(descriptors.data(), descriptors.size(),
           static_cast<int>(std::max<std::int64_t>(0, left + (left > 0))));

    for (std::size_t i = 0; i < owners.size(); ++i) {
        Slot& slot = *owners[i];
        if (descriptors[i].revents & POLLOUT) {
            const auto sent = slot.channel->flush();
            slot.sending = sent && !*sent;
        }
        if (descriptors[i].revents & (POLLIN | POLLHUP | POLLERR))
            if (auto handled = handleReadable(slot); !handled)
                return handled;
        if ((slot.state == Slot::State::Busy || slot.state == Slot::State::Starting) &&
            Clock::now() > slot.deadline)
            handleDeath(slot, true);
    }
    if (m_broken)
        return fail(*m_broken);
    dispatch();
    return {};
}

Status RunnerPool::handleReadable(Slot& slot)
{
    const std::uint64_t generation = slot.generation;
    const auto open = slot.channel->readAvailable();
    bool damaged = !open;
    while (!damaged) {
        auto message = slot.channel->next();
        if (!message) {
            damaged = true;
        } else if (*message) {
            if (auto handled = handleMessage(slot, std::move(**message)); !handled)
                return handled;
            if (slot.generation != generation || !slot.channel)
                return {}; // The runner was replaced while its message was handled.
        } else {
            break;
        }
    }
    if (damaged || !*open)
        handleDeath(slot, false);
    return {};
}

Status RunnerPool::handleMessage(Slot& slot, Message message)
{
    const auto type = message.body["type"].get<std::string>();
    if (slot.state == Slot::State::Starting) {
        if (type == "unusable") {
            m_broken = Error{jsonValue<std::string>(message.body, "what", "a runner cannot work"),
                             {},
                             0,
                             jsonValue<std::string>(message.body, "remedy", "")};
            return fail(*m_broken);
        }
        if (type == "ready") {
            m_failedStarts[static_cast<std::size_t>(slot.role)] = 0;
            slot.state = Slot::State::Idle;
            if (m_sandbox.is_null()) {
                m_sandbox = message.body;
                for (const auto& missing : message.body.value("missing", nlohmann::json::array()))
                    if (missing.is_string())
                        log("sandbox: " + missing.get<std::string>());
            }
            return {};
        }
        handleDeath(slot, false);
        return {};
    }
    if (slot.state != Slot::State::Busy || message.body.value("id", nlohmann::json()) != slot.job->id) {
        handleDeath(slot, false); // An answer nobody asked for: the process is not to be trusted.
        return {};
    }
    auto job = std::move(slot.job);
    slot.state = Slot::State::Idle;
    const bool last = jsonValue<bool>(message.body, "last", false);
    ++m_statistics.answered;
    if (last)
        handleDeath(slot, false);
    if (type == "failed")
        finish(std::move(job),
               {JobOutcome::Kind::Failed, {}, 0, jsonValue<std::string>(message.body, "what", "")});
    else
        finish(std::move(job), {JobOutcome::Kind::Answered, std::move(message.body), 0, {}});
    return {};
}

void RunnerPool::handleDeath(Slot& slot, bool hung)
{
    // The process must be gone before its job is tried elsewhere: both would write into the same memory.
    std::optional<ExitStatus> status;
    if (!hung)
        status = slot.process->wait(0.2);
    const bool ended = status.has_value();
    if (!ended) {
        slot.process->killGroup(SIGKILL);
        status = slot.process->wait();
    }
    auto job = std::move(slot.job);
    const bool starting = slot.state == Slot::State::Starting;
    slot.state = Slot::State::Down;
    slot.channel.reset();
    slot.process.reset();
    const int signal = status && status->signalled ? status->code : 0;
    const std::string how = hung     ? "did not answer in time"
                            : status ? status->sentence()
                                     : std::string("went away");
    const std::string who = "the " + std::string(nameOf(slot.role)) + " runner ";
    if (starting && !(ended && signal == SIGKILL)) {
        if (++m_failedStarts[static_cast<std::size_t>(slot.role)] >= maxFailedStarts)
            m_broken = Error{who + "cannot start: it " + how, {}, 0, "run `sparserl doctor`"};
    }
    if (!job) {
        // The last answer of a runner's life is no death.
        if (starting || (ended && !status->ok())) {
            ++m_statistics.died;
            log(who + how + " and is replaced");
        }
    } else {
        ++(hung ? m_statistics.hung : m_statistics.died);
        if (hung)
            ++job->hangs;
        else if (!ended || !signal || isCrash(signal))
            ++job->crashes;
        else
            ++job->kills;
        const bool outOfTime = signal == SIGXCPU && ended; // Not tried again: it used its time up by itself.
        if (outOfTime || job->crashes >= maxCrashes) {
            log(who + how + " with the same job again");
            finish(std::move(job), {JobOutcome::Kind::Crashed, {}, ended ? signal : 0, who + how});
        } else if (job->hangs >= maxHangs || job->kills >= maxKills) {
            finish(std::move(job),
                   {JobOutcome::Kind::Failed,
                    {},
                    0,
                    who + how + (hung ? " three times" : " ten times") + " with the same program"});
        } else {
            log(who + how + "; its job is tried again");
            ++m_statistics.retried;
            m_queues[static_cast<std::size_t>(slot.role)].push_front(std::move(job));
        }
    }
    if (auto started = startSlot(slot); !started)
        m_broken = started.error();
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
        if (slot->job) {
            slot->job.reset();
            --m_pending;
            slot->process->killGroup(SIGKILL);
            slot->process->wait();
            slot->channel.reset();
            slot->process.reset();
            slot->state = Slot::State::Down;
        }
}

std::vector<pid_t> RunnerPool::processes() const
{
    std::vector<pid_t> ids;
    for (const auto& slot : m_slots)
        if (slot->process)
            ids.push_back(slot->process->pid());
    return ids;
}

void RunnerPool::log(const std::string& sentence) const
{
    if (m_options.log)
        m_options.log(sentence);
}

} // namespace sparserl
