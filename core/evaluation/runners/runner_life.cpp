// SPDX-License-Identifier: Apache-2.0
// How runners start, answer, die and are replaced.
#include "base/json.h"
#include "base/limits.h"
#include "evaluation/runners/runner_slot.h"
#include "evaluation/runners/runner_start.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace sparserl {

namespace {

// A job whose runner crashes or does not answer is tried once more, in a fresh process. A runner that is
// killed from outside says nothing about its job.
constexpr int maxFailures = 2;
constexpr int maxKills = 10;
constexpr int maxFailedStarts = 3;
constexpr double startSeconds = 60;
constexpr double cudaStartSeconds = 180; ///< A driver that wakes up many GPUs takes its time.

/// Signals that a process gets for what it does itself.
bool isCrash(int signal)
{
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
           signal == SIGILL || signal == SIGSYS || signal == SIGTRAP || signal == SIGXCPU;
}

std::vector<std::string> runnerEnvironment(RunnerRole role)
{
    // Memory that a job gives back is kept for the next one: compilers take and return some 10 MB for each
    // program, and the pages of that cost a twentieth of the judge's time. Large blocks are still mapped, so
    // that a large matrix leaves nothing behind.
    std::vector<std::string> own{"MALLOC_TRIM_THRESHOLD_=134217728", "MALLOC_MMAP_THRESHOLD_=33554432",
                                 "MALLOC_TOP_PAD_=1048576"};
    std::vector<const char*> passed{"SPARSERL_CUDA_DIR"};
    if (role == RunnerRole::Cuda) {
        own.emplace_back("CUDA_CACHE_DISABLE=1"); // It would write below the user's home.
        passed.insert(passed.end(), {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES"});
    }
    return lockedEnvironment(std::move(own), passed);
}

/// "socket (3), bind (1)"
std::string listed(const std::map<std::string, std::int64_t>& refused)
{
    std::string text;
    for (const auto& [call, times] : refused)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", call, times);
    return text;
}

/// What the cuda runner's lock no longer has below this step (docs/sandbox.md, "A driver that does not work
/// inside").
const char* loosened(int step)
{
    return step >= 4   ? "without a root and a user of its own"
           : step == 3 ? "with more system calls allowed"
           : step == 2 ? "without limits on files"
                       : "without a filter of system calls";
}

} // namespace

Status RunnerPool::startSlot(Slot& slot)
{
    SPARSERL_TRY(auto ends, Channel::socketPair());
    const auto role = static_cast<std::size_t>(slot.role);
    SpawnOptions options;
    options.argv = {m_options.runnerPath.string(),
                    "--role",
                    std::string(nameOf(slot.role)),
                    "--socket",
                    std::to_string(ends.second.get()),
                    "--programs",
                    std::to_string(m_options.jobsPerRunner[role])};
    const auto option = [&](const char* name, std::uint64_t value) {
        options.argv.emplace_back(name);
        options.argv.push_back(std::to_string(value));
    };
    if (slot.role == RunnerRole::Cuda) {
        option("--gpu", static_cast<std::uint64_t>(slot.gpu));
        slot.sandbox = m_sandboxLevel;
        option("--sandbox", static_cast<std::uint64_t>(m_sandboxLevel));
        // What works under the lock was tried by the first.
        option("--tests", m_ready[role].is_null() ? 2 : 1);
        if (m_ready[role].is_null() || m_options.countRefusedCalls)
            options.argv.emplace_back("--witness");
    } else {
        option("--memory", m_options.memoryMiB[role]);
        // The GPU's process spins, and what it sees late it measures again; the others have it to feed.
        if (!m_options.gpus.empty())
            options.argv.emplace_back("--background");
        if (m_options.countRefusedCalls)
            options.argv.emplace_back("--witness");
    }
    options.environment = runnerEnvironment(slot.role);
    options.keepDescriptors = {ends.second.get()};
    // Nobody waits any more for what it computes. A pool lives on one thread, so that the thread's end is the
    // pool's.
    options.dieWithParent = true;
    SPARSERL_TRY(auto process, spawn(options));
    slot.process.emplace(std::move(process));
    slot.channel.emplace(std::move(ends.first));
    slot.matrices.clear();
    slot.sending = false;
    slot.answered = 0;
    ++slot.generation;
    slot.state = Slot::State::Starting;
    slot.started = Slot::Clock::now();
    slot.setDeadline(slot.role == RunnerRole::Cuda ? cudaStartSeconds : startSeconds);
    ++m_statistics.started;
    return {};
}

void RunnerPool::replace(Slot& slot)
{
    slot.process->killGroup(SIGKILL);
    slot.process->wait();
    slot.channel.reset();
    slot.process.reset();
    slot.state = Slot::State::Down;
    if (auto started = startSlot(slot); !started)
        m_broken = started.error();
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
            SPARSERL_CHECK(handleMessage(slot, std::move(**message)));
            if (slot.generation != generation || !slot.channel)
                return {}; // The runner was replaced while its message was handled.
        } else {
            break;
        }
    }
    if (damaged || !*open)
        handleDeath(slot, false, damaged);
    return {};
}

Status RunnerPool::checkSandbox(RunnerRole role, const nlohmann::json& ready)
{
    const auto locked = requireSandbox(sandboxOf(nameOf(role), ready), m_options.requiredSandbox);
    if (locked)
        return {};
    m_broken = locked.error();
    return fail(*m_broken);
}

void RunnerPool::countRefused(RunnerRole role, const nlohmann::json& body)
{
    for (const auto& [call, times] : jsonValue<std::map<std::string, std::int64_t>>(body, "refused", {})) {
        auto& most = m_refused[static_cast<std::size_t>(role)][call];
        most = std::max(most, times); // Each process counts for itself.
    }
}

std::vector<RoleSandbox> RunnerPool::sandboxes() const
{
    std::vector<RoleSandbox> all;
    for (const auto role : {RunnerRole::Compile, RunnerRole::Sim, RunnerRole::Cuda})
        if (const auto& ready = m_ready[static_cast<std::size_t>(role)]; !ready.is_null()) {
            all.push_back(sandboxOf(nameOf(role), ready));
            all.back().refused = m_refused[static_cast<std::size_t>(role)];
        }
    return all;
}

Status RunnerPool::handleStart(Slot& slot, const nlohmann::json& body)
{
    const auto type = body["type"].get<std::string>();
    const auto role = static_cast<std::size_t>(slot.role);
    if (type == "unusable") {
        const auto what = jsonValue<std::string>(body, "what", "a runner cannot work");
        if (slot.role == RunnerRole::Cuda && slot.sandbox > 0 && jsonValue<bool>(body, "locked", false)) {
            // It worked before it was locked: less of a lock is better than no GPU, but it is said.
            // Runners of several GPUs begin at once: the first of them lowers it for all.
            if (slot.sandbox == m_sandboxLevel) {
                const auto refused = jsonValue<std::map<std::string, std::int64_t>>(body, "refused", {});
                m_tooTight.push_back(
                    fmt::format("sandbox: the GPU's driver does not work in the locked cuda runner, which is "
                                "started again {}: {}{}",
                                loosened(m_sandboxLevel), what,
                                refused.empty() ? std::string() : "; it was refused " + listed(refused)));
                --m_sandboxLevel;
            }
            replace(slot);
            return {};
        }
        m_broken = Error{what, {}, 0, jsonValue<std::string>(body, "remedy", "")};
        return fail(*m_broken);
    }
    if (type != "ready") {
        handleDeath(slot, false);
        return {};
    }
    m_failedStarts[role] = 0;
    if (slot.role ==
        RunnerRole::Cuda) { // A machine without a GPU has no use for them: its runner never is ready.
        for (const std::string& sentence : m_tooTight)
            log(sentence);
        m_tooTight.clear();
    }
    SPARSERL_CHECK(checkSandbox(slot.role, body));
    slot.state = Slot::State::Up;
    if (slot.role == RunnerRole::Cuda) {
        // Its processes come and go twice a second while programs are measured again.
        const auto active = jsonValue<nlohmann::json>(body, "active", {}).dump();
        const auto needed = std::chrono::duration<double>(Slot::Clock::now() - slot.started).count();
        if (slot.lockedBy != active)
            log(fmt::format("the runner of GPU {} was ready after {:.1f} s, locked by {}", slot.gpu, needed,
                            active));
        slot.lockedBy = active;
    }
    if (m_ready[role].is_null()) {
        m_ready[role] = body;
        countRefused(slot.role, body);
        if (!m_refused[role].empty())
            log(fmt::format("sandbox: the {} runner was refused {} and works without", nameOf(slot.role),
                            listed(m_refused[role])));
        if (slot.role != RunnerRole::Sim) // Locked as compile runners are.
            for (const auto& missing : body.value("missing", nlohmann::json::array()))
                if (missing.is_string())
                    log("sandbox: " + missing.get<std::string>());
    }
    return {};
}

Status RunnerPool::handleMessage(Slot& slot, Message message)
{
    if (slot.state == Slot::State::Starting)
        return handleStart(slot, message.body);
    if (slot.jobs.empty() || message.body.value("id", nlohmann::json()) != slot.jobs.front()->id) {
        handleDeath(slot, false, true); // An answer nobody asked for: the process is not to be trusted.
        return {};
    }
    auto job = std::move(slot.jobs.front());
    slot.jobs.pop_front();
    if (!slot.jobs.empty())
        slot.setDeadline(slot.jobs.front()->job.wallSeconds);
    countRefused(slot.role, message.body);
    message.body.erase("refused");
    ++slot.answered;
    ++m_statistics.answered;
    m_statistics.cpuSeconds[static_cast<std::size_t>(slot.role)] += jsonValue<double>(message.body, "cpu", 0);
    if (jsonValue<bool>(message.body, "last", false)) {
        // What it was given early goes to the next process.
        auto& queue = m_queues[static_cast<std::size_t>(slot.role)];
        for (; !slot.jobs.empty(); slot.jobs.pop_back())
            queue.push_front(std::move(slot.jobs.back()));
        handleDeath(slot, false);
    }
    if (message.body["type"] == "failed")
        finish(std::move(job), {JobOutcome::Kind::Failed,
                                {},
                                0,
                                jsonValue<std::string>(message.body, "what", ""),
                                jsonValue<bool>(message.body, "out_of_memory", false)});
    else
        finish(std::move(job), {JobOutcome::Kind::Answered, std::move(message.body), 0, {}});
    return {};
}

void RunnerPool::handleDeath(Slot& slot, bool hung, bool untrusted)
{
    // The process must be gone before its job is tried elsewhere: both would write into the same memory.
    std::optional<ExitStatus> status;
    if (!hung && !untrusted)
        status = slot.process->wait(slot.role == RunnerRole::Cuda ? 5 : 0.2); // A driver takes its leave.
    const bool ended = status.has_value();
    if (!ended) {
        slot.process->killGroup(SIGKILL);
        status = slot.process->wait();
    }
    auto jobs = std::move(slot.jobs);
    slot.jobs.clear();
    const bool starting = slot.state == Slot::State::Starting;
    slot.state = Slot::State::Down;
    slot.channel.reset();
    slot.process.reset();
    const int signal = status && status->signalled ? status->code : 0;
    const std::string how = hung        ? "did not answer in time"
                            : untrusted ? "broke the protocol"
                            : status    ? status->sentence()
                                        : std::string("went away");
    const std::string who = "the " + std::string(nameOf(slot.role)) + " runner ";
    if (starting && !(ended && signal == SIGKILL)) {
        // Its libraries alone take hundreds of megabytes of address space.
        const bool limited = addressSpaceLimit().has_value();
        const std::string limit = limited ? ", and " + addressSpaceSentence() : std::string();
        const char* const remedy = limited ? "Raise that limit" : "run `sparserl doctor`";
        if (++m_failedStarts[static_cast<std::size_t>(slot.role)] >= maxFailedStarts)
            m_broken = Error{who + "cannot start: it " + how + limit, {}, 0, remedy};
    }
    // Those behind the first were not at work yet.
    auto& queue = m_queues[static_cast<std::size_t>(slot.role)];
    for (; jobs.size() > 1; jobs.pop_back())
        queue.push_front(std::move(jobs.back()));
    if (jobs.empty()) {
        // The last answer of a runner's life is no death.
        if (starting || (ended && !status->ok())) {
            ++m_statistics.died;
            log(who + how + " and is replaced");
        }
    } else {
        ++(hung ? m_statistics.hung : m_statistics.died);
        auto job = std::move(jobs.front());
        const bool failed = hung || !ended || !signal || isCrash(signal);
        ++(failed ? job->failures : job->kills);
        const bool outOfTime = signal == SIGXCPU && ended; // Not tried again: it used its time up by itself.
        if (outOfTime || job->failures >= maxFailures) {
            if (!outOfTime)
                log(who + how + " with the same job again, in a fresh process");
            const auto kind = hung ? JobOutcome::Kind::Hung : JobOutcome::Kind::Crashed;
            finish(std::move(job), {kind, {}, ended ? signal : 0, who + how + (outOfTime ? "" : " twice")});
        } else if (job->kills >= maxKills) {
            finish(std::move(job), {JobOutcome::Kind::Failed, {}, 0, who + how + " ten times"});
        } else {
            log(who + how + "; its job is tried again");
            ++m_statistics.retried;
            job->job.fresh = job->job.fresh || failed || slot.role == RunnerRole::Cuda;
            queue.push_front(std::move(job));
        }
    }
    if (auto started = startSlot(slot); !started)
        m_broken = started.error();
}

} // namespace sparserl
