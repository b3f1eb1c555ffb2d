// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/subprocess.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/shared_buffer.h"
#include "machine/sandbox_level.h"

#include <array>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

enum class RunnerRole
{
    Compile,
    Sim,
    Cuda
};
constexpr std::size_t runnerRoles = 3;
std::string_view nameOf(RunnerRole role); ///< "compile", "sim", "cuda"

struct PoolOptions
{
    std::filesystem::path runnerPath;
    std::array<int, 2> runners{1, 1}; ///< Number of concurrent runners of the roles compile and sim.
    std::vector<int> gpus;            ///< Ordinals of the GPUs; each has one cuda runner.
    /// Address space of the two roles, in addition to their libraries.
    std::array<std::uint64_t, 2> memoryMiB{1024, 4096};
    /// Number of answers after which a runner is replaced, for each role.
    std::array<int, runnerRoles> jobsPerRunner{64, 4096, 1 << 30};
    std::uint64_t matrixBytesPerRunner = 512u << 20;
    /// Runners with a weaker sandbox are not used.
    SandboxLevel requiredSandbox = SandboxLevel::None;
    /// Counts refused system calls in every runner, not only in the first one with a GPU.
    bool countRefusedCalls = false;
    std::function<void(std::string_view)> log; ///< Receives sentences; may be empty.
};

/// The outcome of a job.
struct JobOutcome
{
    enum class Kind
    {
        Answered, ///< `answer` holds the runner's answer.
        Crashed,  ///< Two runners crashed, of which the second was a fresh one, or a runner exhausted its CPU
                  ///< time.
        Hung,     ///< As Crashed, but the last runner timed out.
        Failed    ///< The runner reported a failure, or was repeatedly killed from outside.
    };
    Kind kind = Kind::Failed;
    nlohmann::json answer;
    int signal = 0;           ///< Crashed: the signal, or 0 if the runner exited by itself.
    std::string reason;       ///< Crashed, Hung, Failed: a sentence about the cause.
    bool outOfMemory = false; ///< Failed: the job needed more memory than the runner may use.
    bool unsent = false;      ///< Failed: no runner received the job, so the program is not to blame.
};

/// A job for one runner. The pool sends the memory, and those matrices that the runner does not have yet, as
/// files.
struct PoolJob
{
    RunnerRole role = RunnerRole::Compile;
    nlohmann::json body;
    std::shared_ptr<SharedBuffer> memory;
    /// Shared memory of matrices, with their keys.
    std::vector<std::pair<std::string, std::shared_ptr<SharedBuffer>>> matrices;
    double wallSeconds = 30; ///< Time limit. After it, the runner is killed and the job is retried once.
    bool urgent = false; ///< The job is served before other jobs of its role, because the next stage waits
                         ///< for its result.
    bool fresh = false;  ///< The job needs a process that has not served any job yet.
    std::function<void(JobOutcome)> done; ///< Called exactly once, from pump().
};

/// Sandboxed runner processes that serve jobs. Any process may be killed, hang or crash at any moment. The
/// pool then replaces it and retries its job. It calls `done` exactly once per job. The pool keeps one spare
/// compile runner and sim runner started, which avoids waiting for replacements. A GPU has one process at a
/// time; it receives its next job early and prepares it while it measures. The class is single-threaded:
/// everything, including callbacks, happens on the thread that calls pump().
class RunnerPool
{
public:
    struct Statistics
    {
        std::int64_t started = 0, died = 0, hung = 0, retried = 0, answered = 0;
        std::array<double, runnerRoles> cpuSeconds{}; ///< CPU time of answered jobs, by role.
    };

    /// Starts the runners and waits for the first runner of each role. If a runner cannot work, fails with
    /// its message.
    static Result<std::unique_ptr<RunnerPool>> start(PoolOptions options);
    ~RunnerPool();

    void submit(PoolJob job);
    /// Runs a job in a flow: `co_await pool.run(job)` yields the job's outcome. Destroying the flow does not
    /// stop the job.
    class [[nodiscard]] Served;
    Served run(PoolJob job);
    std::size_t pending() const { return m_pending; }
    /// Waits at most `milliseconds` for an event and handles it. Fails if no runner can be started.
    Status pump(int milliseconds);
    /// Makes pump() return also when this descriptor is readable. The caller keeps the descriptor. -1: none.
    void wakeOn(int descriptor) { m_wake = descriptor; }
    /// Drops every job without calling `done` and kills the active runners.
    void abandon();

    const Statistics& statistics() const { return m_statistics; }
    /// Returns the available and missing sandbox features of this machine, as the first compile runner
    /// reported them.
    const nlohmann::json& sandbox() const { return m_ready[static_cast<std::size_t>(RunnerRole::Compile)]; }
    /// Returns the ready message of the first runner of a role. It is null before that message, or if there
    /// are no runners of this role.
    const nlohmann::json& readyMessage(RunnerRole role) const
    {
        return m_ready[static_cast<std::size_t>(role)];
    }
    /// Returns the sandbox of each role that has runners.
    std::vector<RoleSandbox> sandboxes() const;
    std::vector<pid_t> processes(std::optional<RunnerRole> role = {}) const;

private:
    struct Running;
    struct Slot;

    explicit RunnerPool(PoolOptions options);
    Status startSlot(Slot& slot);
    void dispatch();
    void dispatch(RunnerRole role);
    Slot* slotFor(const PoolJob& job);
    void assign(Slot& slot, std::unique_ptr<Running> job);
    void replace(Slot& slot);
    Status checkSandbox(RunnerRole role, const nlohmann::json& ready);
    void countRefused(RunnerRole role, const nlohmann::json& body);
    Status handleStart(Slot& slot, const nlohmann::json& body);
    Status handleReadable(Slot& slot);
    Status handleMessage(Slot& slot, Message message);
    void handleDeath(Slot& slot, bool hung, bool untrusted = false);
    void finish(std::unique_ptr<Running> job, JobOutcome outcome);
    void log(const std::string& sentence) const;

    PoolOptions m_options;
    std::vector<std::unique_ptr<Slot>> m_slots;
    std::array<std::deque<std::unique_ptr<Running>>, runnerRoles> m_queues;
    std::size_t m_pending = 0;
    std::uint64_t m_nextId = 1;
    int m_wake = -1;
    std::uint64_t m_clock = 0; ///< Orders matrices by last use.
    std::array<int, runnerRoles> m_failedStarts{};
    std::optional<Error> m_broken;
    std::array<nlohmann::json, runnerRoles> m_ready;
    int m_sandboxLevel = 4; ///< Step of the lock for cuda runners; lowered if the driver does not work at it.
    std::vector<std::string> m_tooTight; ///< Sentences about why m_sandboxLevel was lowered.
    std::array<std::map<std::string, std::int64_t>, runnerRoles> m_refused;
    Statistics m_statistics;
};

/// Suspends a flow while its job runs.
class RunnerPool::Served
{
public:
    Served(RunnerPool& pool, PoolJob job)
        : m_pool(pool)
        , m_job(std::move(job))
    {
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    ~Served()
    {
        if (m_self)
            *m_self = nullptr;
    }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting);
    JobOutcome await_resume() { return std::move(m_outcome); }

private:
    RunnerPool& m_pool;
    PoolJob m_job;
    JobOutcome m_outcome;
    std::coroutine_handle<> m_waiting;
    /// The pool also keeps this pointer. Its target is nullptr when the flow is gone.
    std::shared_ptr<Served*> m_self;
};

} // namespace sparserl
