// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/subprocess.h"
#include "evaluation/protocol/channel.h"
#include "machine/sandbox_level.h"
#include "operator/graph/oracle_report.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct OracleOptions
{
    std::filesystem::path runner;                       ///< sparserl-runner; empty: findRunner.
    double seconds = 60;                                ///< Of one run of a graph.
    std::uint64_t memoryBytes = std::uint64_t(4) << 30; ///< Of tensors alive at once.
    double jobSeconds = 600; ///< Of all runs of a graph; the process is then ended.
    bool countRefusedCalls = false;
    CancelToken cancel;
};

/// A locked process of the role `oracle`. It is started with the first job, and again after a job that ended
/// it.
class OracleProcess
{
public:
    explicit OracleProcess(OracleOptions options);

    /// Examines a graph, given as JSON text, with the tensors of a safetensors file (empty: none).
    /// `recorded`: the results that the task itself returned, as a safetensors file (empty: none). An Error
    /// says what is wrong with the graph, that it exceeds a limit, or why there is no oracle.
    Result<OracleReport> examine(std::string_view graph, std::string_view tensors,
                                 std::optional<std::uint64_t> seed = {}, std::string_view recorded = {});

    /// How the process is locked, after the first job.
    const std::optional<RoleSandbox>& sandbox() const { return m_sandbox; }
    /// System calls that were refused, if they are counted.
    const std::map<std::string, std::int64_t>& refusedCalls() const { return m_refused; }

private:
    Status start();
    /// The next message of the process; an Error that says why the job has no result.
    Result<Message> receive(double seconds);
    void stop();

    OracleOptions m_options;
    std::optional<Subprocess> m_process;
    std::optional<Channel> m_channel;
    std::optional<RoleSandbox> m_sandbox;
    std::map<std::string, std::int64_t> m_refused;
};

} // namespace sparserl
