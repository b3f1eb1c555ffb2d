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
    std::array<int, 2> runners{1, 1}; ///< Of the roles compile and sim, at work at the same time.
    std::vector<int> gpus;            ///< Ordinals; one cuda runner for each.
    std::array<std::uint64_t, 2> memoryMiB{1024, 4096}; ///< Address space beyond the libraries, by role.
    /// Answers before a runner is replaced, by role.
    std::array<int, runnerRoles> jobsPerRunner{64, 4096, 1 << 30};
    std::uint64_t matrixBytesPerRunner = 512u << 20;
    /// Runners that are locked less well are not used.
    SandboxLevel requiredSandbox = SandboxLevel::None;
    /// Calls that the lock refuses are counted in every runner, not only in the first with a GPU.
    bool countRefusedCalls = false;
    std::function<void(std::string_view)> log; ///< Sentences; may be empty.
};

/// What became of a job.
struct JobOutcome
{
    enum class Kind
    {
        Answered, ///< `answer` is what the runner said.
        Crashed,  ///< Two runners that tried it crashed, the second a fresh one, or it used its CPU time up.
        Hung,     ///< The same, and the last did not answer in time.
        Failed    ///< The runner could not serve it and said so, or was killed from outside again and again.
    };
    Kind kind = Kind::Failed;
    nlohmann::json answer;
    int signal = 0;           ///< Crashed: the signal, or 0 where the runner left by itself.
    std::string reason;       ///< Crashed, Hung, Failed: a sentence.
    bool outOfMemory = false; ///< Failed: it asked for more memory than the runner may use.
    bool unsent = false;      ///< Failed: no runner was given it, so that says nothing about the program.
};

/// Work for one runner. Files travel as: the memory, then the matrices the runner does not have yet.
struct PoolJob
{
    RunnerRole role = RunnerRole::Compile;
    nlohmann::json body;
    std::shared_ptr<SharedBuffer> memory;
    std::vector<std::pair<std::string, std::shared_ptr<SharedBuffer>>> matrices; ///< By key.
    double wallSeconds = 30;              ///< Beyond it the runner is killed and the job tried once more.
    bool urgent = false;                  ///< Before others of its role: what it ends frees the next stage.
    bool fresh = false;                   ///< In a process that has not served anything before.
    std::function<void(JobOutcome)> done; ///< Called exactly once, from pump().
};

/// Locked runner processes that serve jobs. Any of them may be killed, hang or crash at any moment: it is
/// replaced, its job is tried again, and each job's `done` is called exactly once. One more compile and sim
/// runner than may work is kept started, so that a replacement costs no waiting; a GPU has one process at a
/// time, which is given its next job early, so that it prepares that one while it measures. Single-threaded:
/// everything, callbacks included, happens on the thread that calls pump().
class RunnerPool
{
public:
    struct Statistics
    {
        std::int64_t started = 0, died = 0, hung = 0, retried = 0, answered = 0;
        std::array<double, runnerRoles> cpuSeconds{}; ///< Of jobs answered, by role.
    };

    /// Starts the runners and waits for the first of each role. Fails with its sentence where one cannot
    /// work.
    static Result<std::unique_ptr<RunnerPool>> start(PoolOptions options);
    ~RunnerPool();

    void submit(PoolJob job);
    /// `co_await pool.run(job)` is the job's outcome. A flow that is given up does not stop the job.
    class [[nodiscard]] Served;
    Served run(PoolJob job);
    std::size_t pending() const { return m_pending; }
    /// Waits for something to happen, at most `milliseconds`, and handles it. Fails where no runner can be
    /// started.
    Status pump(int milliseconds);
    /// Forgets every job without calling `done`; runners at work are killed.
    void abandon();

    const Statistics& statistics() const { return m_statistics; }
    /// What the sandbox has and lacks on this machine, from the first runner that was ready.
    const nlohmann::json& sandbox() const { return m_ready[static_cast<std::size_t>(RunnerRole::Compile)]; }
    /// What the first runner of a role said when it was ready; null before, or without such runners.
    const nlohmann::json& readyMessage(RunnerRole role) const
    {
        return m_ready[static_cast<std::size_t>(role)];
    }
    /// How each role is locked that has runners.
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
    std::uint64_t m_clock = 0; ///< Orders the use of matrices.
    std::array<int, runnerRoles> m_failedStarts{};
    std::optional<Error> m_broken;
    std::array<nlohmann::json, runnerRoles> m_ready;
    int m_sandboxLevel = 4;              ///< Of cuda runners; lowered where the driver does not work inside.
    std::vector<std::string> m_tooTight; ///< Why it was lowered.
    std::array<std::map<std::string, std::int64_t>, runnerRoles> m_refused;
    Statistics m_statistics;
};

/// A flow's place while its job runs.
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
    std::shared_ptr<Served*> m_self; ///< What the pool keeps; null in it once the flow is gone.
};

} // namespace sparserl
