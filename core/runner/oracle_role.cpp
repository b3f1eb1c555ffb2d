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
#include <cstring>
#include <fcntl.h>
#include <new>
#include <string>
#include <string_view>
#include <utility>

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
        allowCpuSeconds(job.cpuSeconds > 0 ? std::min(job.cpuSeconds, aDay) : aDay);
        try {
            const std::string_view graph = textOf(graphText, job.graphBytes);
            const std::string_view tensors = textOf(tensorBytes, job.tensorBytes);
            auto body = job.work == OracleWork::Examine
                            ? examined(job, graph, tensors, std::move(message.files[2]))
                            : computed(job, graph, tensors, std::move(message.files[2]));
            if (body)
                return body;
            // What is wrong with a graph is an answer; the process is as good as before.
            return nlohmann::json{
                {"type", "refused"}, {"what", body.error().what}, {"remedy", body.error().remedy}};
        } catch (const std::bad_alloc&) {
            return failOutOfMemory("the graph needs more memory than the oracle may use");
        }
    }

private:
    static Result<nlohmann::json> examined(const OracleJob& job, std::string_view graphText,
                                           std::string_view tensors, FileDescriptor recordedFile)
    {
        SPARSERL_TRY(const auto recorded, SharedBuffer::adoptSealed(std::move(recordedFile)));
        SPARSERL_TRY(const auto graph, parseGraph(graphText));
        HostTensors stored;
        if (!tensors.empty()) {
            SPARSERL_TRY(stored, parseTensors(tensors, "", job.memoryBytes));
        }
        SPARSERL_TRY(const auto all, taskTensors(graph, stored, job.seed, job.memoryBytes));
        HostTensors results;
        if (job.recordedBytes > 0) {
            SPARSERL_TRY(results, parseTensors(textOf(recorded, job.recordedBytes), "", job.memoryBytes));
        }
        SPARSERL_TRY(const auto report, examineGraph(graph, all, {job.seconds, job.memoryBytes}, results));
        return nlohmann::json{{"type", "examined"}, {"report", fieldToJson(report)}};
    }

    static Result<nlohmann::json> computed(const OracleJob& job, std::string_view graphText,
                                           std::string_view tensors, FileDescriptor roomFile)
    {
        SPARSERL_TRY(auto room, SharedBuffer::adopt(std::move(roomFile)));
        SPARSERL_TRY(const auto graph, parseGraph(graphText));
        SPARSERL_TRY(const auto given, parseTensors(tensors, "", job.memoryBytes));
        SPARSERL_TRY(const auto all, taskTensors(graph, given, {}, job.memoryBytes));
        SPARSERL_TRY(const auto prepared, PreparedGraph::prepare(graph));
        const RunLimits limits{job.seconds, job.memoryBytes};
        SPARSERL_TRY(auto exact, prepared.run(all, RunPrecision::Double, limits));
        SPARSERL_TRY(const auto own, prepared.run(all, RunPrecision::AsWritten, limits));
        HostTensors results;
        HostTensor noise =
            emptyTensor({TensorElement::F64, {static_cast<std::int64_t>(exact.outputs.size())}, {}});
        for (std::size_t i = 0; i < exact.outputs.size(); ++i) {
            setElement(noise, i, relativeDifference(own.outputs[i], exact.outputs[i]));
            results[std::to_string(i)] = std::move(exact.outputs[i]);
        }
        results["noise"] = std::move(noise);
        const std::string bytes = formatTensors(results);
        if (!room.writable() || bytes.size() > room.size())
            return fail("the oracle has no room for its results");
        std::memcpy(room.data(), bytes.data(), bytes.size());
        return nlohmann::json{{"type", "computed"}, {"bytes", bytes.size()}};
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
