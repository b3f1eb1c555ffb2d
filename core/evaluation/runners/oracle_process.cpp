// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/oracle_process.h"

#include "base/format.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/printable.h"
#include "evaluation/protocol/shared_buffer.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/runners/runner_start.h"
#include "operator/graph/graph_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>

namespace sparserl {

namespace {

constexpr double startSeconds = 120; ///< LibTorch alone is half a gigabyte to load.
constexpr std::size_t longestSentence = 1000;

Result<SharedBuffer> sealedCopy(std::string_view bytes)
{
    SPARSERL_TRY(auto buffer, SharedBuffer::create(std::max<std::size_t>(bytes.size(), 1)));
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
    SPARSERL_CHECK(buffer.seal());
    return buffer;
}

std::string sentenceOf(const nlohmann::json& body, const char* key)
{
    return shortened(printableLine(jsonValue<std::string>(body, key, "")), longestSentence);
}

} // namespace

OracleProcess::OracleProcess(OracleOptions options)
    : m_options(std::move(options))
{
}

void OracleProcess::stop()
{
    if (m_process)
        m_process->killGroup(SIGKILL);
    m_channel.reset();
    m_process.reset();
}

Status OracleProcess::start()
{
    SPARSERL_TRY(const auto runner, findRunner(m_options.runner));
    SPARSERL_TRY(auto ends, Channel::socketPair());
    SpawnOptions options;
    constexpr int jobs = 4096;
    // Single-precision copies, the file as it came and what a call needs besides its tensors.
    const std::uint64_t memoryMiB = (m_options.memoryBytes * 2 >> 20) + 1024;
    options.argv = {runner.string(),
                    "--role",
                    "oracle",
                    "--socket",
                    std::to_string(ends.second.get()),
                    "--memory",
                    std::to_string(memoryMiB),
                    "--programs",
                    std::to_string(jobs)};
    if (m_options.countRefusedCalls)
        options.argv.emplace_back("--witness");
    options.environment = // One thread, as the lock allows.
        lockedEnvironment({"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"});
    options.keepDescriptors = {ends.second.get()};
    options.dieWithParent = true;
    SPARSERL_TRY(auto process, spawn(options));
    m_process.emplace(std::move(process));
    m_channel.emplace(std::move(ends.first));
    auto ready = receive(startSeconds);
    if (!ready) {
        const bool limited = addressSpaceLimit().has_value();
        stop();
        if (isInterruption(ready.error()))
            return fail(ready.error());
        return fail("the oracle cannot start: " + ready.error().what +
                        (limited ? ", and " + addressSpaceSentence() : ""),
                    limited ? "Raise that limit" : "Run `sparserl doctor`");
    }
    if (ready->body["type"] != "ready") {
        const Error error{"the oracle cannot work: " + sentenceOf(ready->body, "what"),
                          {},
                          0,
                          sentenceOf(ready->body, "remedy")};
        stop();
        return fail(error);
    }
    m_sandbox = sandboxOf("oracle", ready->body);
    auto locked = requireSandbox(*m_sandbox, m_options.requiredSandbox);
    if (!locked)
        stop();
    return locked;
}

Result<Message> OracleProcess::receive(double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        auto message = m_channel->next();
        if (!message)
            return fail(message.error());
        if (message->has_value())
            return std::move(**message);
        if (m_options.cancel.cancelled())
            return fail(interruption());
        const std::chrono::duration<double, std::milli> left = deadline - Clock::now();
        if (left.count() <= 0)
            return fail(fmt::format("it did not answer within {}", formatDuration(seconds)));
        pollfd wait{m_channel->fd(), POLLIN, 0};
        constexpr double look = 100; // Milliseconds after which the user may have pressed Ctrl-C.
        if (::poll(&wait, 1, static_cast<int>(std::min(left.count() + 1, look))) < 0 && errno != EINTR)
            return fail("its answers cannot be waited for");
        if ((wait.revents & (POLLIN | POLLHUP | POLLERR)) == 0)
            continue;
        SPARSERL_TRY(const bool open, m_channel->readAvailable());
        if (open)
            continue;
        auto last = m_channel->next();
        if (last && last->has_value())
            return std::move(**last);
        const auto status = m_process->wait(1);
        if (status && status->signalled && status->code == SIGXCPU)
            return fail("it used up its processor time");
        return fail("it " + (status ? status->sentence() : std::string("went away")));
    }
}

Result<nlohmann::json> OracleProcess::ask(OracleJob job, std::span<const int> files, const char* expected)
{
    if (!m_channel)
        SPARSERL_CHECK(start());
    job.seconds = m_options.seconds;
    job.memoryBytes = m_options.memoryBytes;
    // A call that does not come back is ended with its process. Other work on this machine may take the time.
    constexpr double patience = 4;
    const double wall = patience * m_options.jobSeconds;
    job.cpuSeconds = static_cast<std::uint64_t>(std::max(m_options.jobSeconds, 1.0));
    if (const auto sent = m_channel->send(toJson(job), files); !sent) {
        stop();
        return fail(sent.error());
    }
    auto answer = receive(wall);
    if (!answer) {
        stop();
        return fail(isInterruption(answer.error())
                        ? answer.error()
                        : Error{"the oracle gave no result: " + answer.error().what,
                                {},
                                0,
                                "Take a smaller size, or raise --seconds and --memory"});
    }
    for (const auto& [call, times] :
         jsonValue<std::map<std::string, std::int64_t>>(answer->body, "refused", {}))
        m_refused[call] = std::max(m_refused[call], times);
    if (jsonValue<bool>(answer->body, "last", true))
        stop();
    if (answer->body["type"] != expected)
        return fail(sentenceOf(answer->body, "what"), sentenceOf(answer->body, "remedy"));
    return std::move(answer->body);
}

Result<OracleReport> OracleProcess::examine(std::string_view graph, std::string_view tensors,
                                            std::optional<std::uint64_t> seed, std::string_view recorded)
{
    OracleJob job;
    job.graphBytes = graph.size();
    job.tensorBytes = tensors.size();
    job.recordedBytes = recorded.size();
    job.seed = seed;
    SPARSERL_TRY(const auto text, sealedCopy(graph));
    SPARSERL_TRY(const auto bytes, sealedCopy(tensors));
    SPARSERL_TRY(const auto results, sealedCopy(recorded));
    const std::array files{text.fd(), bytes.fd(), results.fd()};
    SPARSERL_TRY(const auto body, ask(job, files, "examined"));
    try {
        OracleReport report;
        readFields(jsonValue<nlohmann::json>(body, "report", {}), report, readRecord);
        return report;
    } catch (const nlohmann::json::exception&) {
        stop();
        return fail("the oracle's answer is not one");
    }
}

Result<OracleOutputs> OracleProcess::compute(const OperatorGraph& graph, const HostTensors& tensors)
{
    const std::string text = dumpJson(toJson(graph)), given = formatTensors(tensors);
    const auto count = static_cast<std::int64_t>(graph.outputs.size());
    std::vector<TensorType> types;
    HostTensors room;
    for (const GraphOutput& output : graph.outputs) {
        const TensorType& own = graph.values[static_cast<std::size_t>(output.value)];
        types.push_back({isFloating(own.element) ? TensorElement::F64 : own.element, own.shape, {}});
        room[std::to_string(types.size() - 1)] = emptyTensor(types.back());
    }
    room["noise"] = emptyTensor({TensorElement::F64, {count}, {}});
    OracleJob job;
    job.work = OracleWork::Compute;
    job.graphBytes = text.size();
    job.tensorBytes = given.size();
    SPARSERL_TRY(const auto graphFile, sealedCopy(text));
    SPARSERL_TRY(const auto tensorFile, sealedCopy(given));
    SPARSERL_TRY(const auto memory, SharedBuffer::create(formatTensors(room).size()));
    const std::array files{graphFile.fd(), tensorFile.fd(), memory.fd()};
    SPARSERL_TRY(const auto body, ask(job, files, "computed"));
    const auto bytes = jsonValue<std::uint64_t>(body, "bytes", 0);
    const std::string answer(reinterpret_cast<const char*>(memory.data()),
                             std::min<std::uint64_t>(bytes, memory.size()));
    auto found = parseTensors(answer, "", memory.size());
    if (!found)
        return fail("the oracle's answer is not one: " + found.error().what);
    OracleOutputs outputs;
    for (std::size_t i = 0; i < types.size(); ++i) {
        HostTensor& one = (*found)[std::to_string(i)];
        if (!(one.type == types[i]) || !((*found)["noise"].type == room["noise"].type))
            return fail("the oracle's answer lacks an output");
        outputs.noise.push_back(elementOf((*found)["noise"], i));
        outputs.exact.push_back(std::move(one));
    }
    return outputs;
}

} // namespace sparserl
