// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/subprocess.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/oracle_jobs.h"
#include "machine/sandbox_level.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"
#include "operator/graph/oracle_report.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct OracleOptions
{
    std::filesystem::path runner; ///< Path of sparserl-runner; empty: findRunner() finds it.
    double seconds = 60;          ///< Time limit for one run of a graph.
    /// Limit for the tensors that exist at the same time.
    std::uint64_t memoryBytes = std::uint64_t(4) << 30;
    double jobSeconds = 600; ///< Time limit for all runs of a graph. After it, the process is killed.
    SandboxLevel requiredSandbox = SandboxLevel::None; ///< A process with a weaker sandbox is not used.
    bool countRefusedCalls = false;
    CancelToken cancel;
};

/// The outputs of a graph, in its order.
struct OracleOutputs
{
    std::vector<HostTensor> exact; ///< In fp64, except for whole numbers and booleans.
    std::vector<double> noise;     ///< The relativeDifference() of the graph's own types from fp64.
};

/// A locked process of the role `oracle`. It starts with the first job. If a job ends the process, the next
/// job starts it again.
class OracleProcess
{
public:
    explicit OracleProcess(OracleOptions options);

    /// Examines a graph. `graph` is its JSON text, and `tensors` are its stored tensors as a safetensors file
    /// (empty: none). `recorded` are the results that the task itself returned, in the same format (empty:
    /// none). The Error says what is wrong with the graph, which limit it exceeds, or why there is no oracle.
    Result<OracleReport> examine(std::string_view graph, std::string_view tensors,
                                 std::optional<std::uint64_t> seed = {}, std::string_view recorded = {});

    /// Runs a graph in fp64 and in its own types with `tensors`, which holds every input and weight.
    Result<OracleOutputs> compute(const OperatorGraph& graph, const HostTensors& tensors);

    /// Returns how the process is locked. Unset before the first job.
    const std::optional<RoleSandbox>& sandbox() const { return m_sandbox; }
    /// Returns how often each system call was refused, if this is counted.
    const std::map<std::string, std::int64_t>& refusedCalls() const { return m_refused; }

private:
    Status start();
    /// Sends a job with its three files, and returns the answer. Fails if the oracle refuses the job or gives
    /// another answer than `expected`.
    Result<nlohmann::json> ask(OracleJob job, std::span<const int> files, const char* expected);
    /// Returns the next message of the process, or an Error that says why the job has no result.
    Result<Message> receive(double seconds);
    void stop();

    OracleOptions m_options;
    std::optional<Subprocess> m_process;
    std::optional<Channel> m_channel;
    std::optional<RoleSandbox> m_sandbox;
    std::map<std::string, std::int64_t> m_refused;
};

} // namespace sparserl
