// SPDX-License-Identifier: Apache-2.0
#include "runner/oracle_role.h"

#include "base/json.h"
#include "evaluation/protocol/oracle_jobs.h"
#include "evaluation/protocol/shared_buffer.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/task_tensors.h"
#include "operator/run/examine.h"
#include "runner/service.h"

#include <algorithm>
#include <fcntl.h>
#include <new>

namespace sparserl {

namespace {

constexpr std::uint64_t aDay = 86400;

std::string_view textOf(const SharedBuffer& buffer, std::size_t length)
{
    return {reinterpret_cast<const char*>(buffer.data()), std::min(length, buffer.size())};
}

class OracleRole : public Role
{
public:
    Result<nlohmann::json> answer(Message& message) override
    {
        SPARSERL_TRY(const auto job, oracleJobFromJson(message.body));
        if (message.files.size() != 3)
            return fail("a job for the oracle came with the wrong number of files");
        SPARSERL_TRY(const auto graphText, SharedBuffer::adoptSealed(std::move(message.files[0])));
        SPARSERL_TRY(const auto tensorBytes, SharedBuffer::adoptSealed(std::move(message.files[1])));
        SPARSERL_TRY(const auto recordedBytes, SharedBuffer::adoptSealed(std::move(message.files[2])));
        allowCpuSeconds(job.cpuSeconds > 0 ? std::min(job.cpuSeconds, aDay) : aDay);
        try {
            const auto report =
                examine(job, textOf(graphText, job.graphBytes), textOf(tensorBytes, job.tensorBytes),
                        textOf(recordedBytes, job.recordedBytes));
            // What is wrong with a graph is an answer; the process is as good as before.
            nlohmann::json body = report
                                      ? nlohmann::json{{"type", "examined"}, {"report", fieldToJson(*report)}}
                                      : nlohmann::json{{"type", "refused"},
                                                       {"what", report.error().what},
                                                       {"remedy", report.error().remedy}};
            return body;
        } catch (const std::bad_alloc&) {
            return failOutOfMemory("the graph needs more memory than the oracle may use");
        }
    }

private:
    static Result<OracleReport> examine(const OracleJob& job, std::string_view graphText,
                                        std::string_view tensors, std::string_view recorded)
    {
        SPARSERL_TRY(const auto graph, parseGraph(graphText));
        HostTensors stored;
        if (!tensors.empty()) {
            SPARSERL_TRY(stored, parseTensors(tensors, "", job.memoryBytes));
        }
        SPARSERL_TRY(const auto all, taskTensors(graph, stored, job.seed, job.memoryBytes));
        HostTensors results;
        if (!recorded.empty()) {
            SPARSERL_TRY(results, parseTensors(recorded, "", job.memoryBytes));
        }
        return examineGraph(graph, all, {job.seconds, job.memoryBytes}, results);
    }
};

} // namespace

int oracleMain(int argc, char** argv)
{
    RunnerOptions options;
    if (const auto status = readRunnerOptions(argc, argv, options))
        return *status;
    if (options.role != "oracle")
        return runnerUsage("--role must be oracle");
    if (options.socket < 0 || ::fcntl(options.socket, F_GETFD) < 0)
        return runnerUsage("--socket must be an open descriptor");
    Channel channel{FileDescriptor(options.socket)};
    return serveLocked(channel, options, aDay, []() -> Result<std::unique_ptr<Role>> {
        warmUpLibTorch();
        return std::make_unique<OracleRole>();
    });
}

} // namespace sparserl
