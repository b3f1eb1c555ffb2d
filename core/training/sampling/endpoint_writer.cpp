// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "base/interruption.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/endpoint_settings.h"
#include "kernel/verifier.h"
#include "training/data/endpoint_prompt.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/program_writer_impl.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace sparserl {

namespace {

constexpr int usualTokens = 4096; ///< Of an answer: a program of 64 KiB may take more, a usual one takes 700.

/// The model of an endpoint. Several requests are on their way at a time.
class EndpointWriter : public ProgramWriter::Impl
{
public:
    EndpointWriter(std::shared_ptr<const EndpointClient> client, const GenerationOptions& options)
        : m_client(std::move(client))
        , m_options(options)
        , m_instructions(endpointInstructions())
    {
    }
    std::size_t count() const override { return static_cast<std::size_t>(m_options.count); }
    double temperature() const override { return m_options.temperature > 0 ? m_options.temperature : 1; }
    bool refines() const override { return true; }
    Result<std::vector<GeneratedProgram>> write(const Target& target, const ProgramRange& range,
                                                const CancelToken& cancel,
                                                const WritingEvents& events) const override;

private:
    GeneratedProgram programOf(const ChatAnswer& answer, int maxTokens) const;

    std::shared_ptr<const EndpointClient> m_client;
    GenerationOptions m_options;
    std::string m_instructions;
};

/// Why a whole text cannot compile, in the words of sampled programs; empty if it may.
std::string stopReasonOf(const std::string& program)
{
    IncrementalVerifier verifier;
    auto stop = verifier.feed(program);
    if (!stop)
        stop = verifier.finish();
    return stop ? fmt::format("line {}: {}", stop->line, stop->reason) : std::string();
}

GeneratedProgram EndpointWriter::programOf(const ChatAnswer& answer, int maxTokens) const
{
    GeneratedProgram program;
    program.text = programInAnswer(answer.text);
    // A rollout has room for as many tokens as a server says: no more than there can be.
    program.tokens = std::min(static_cast<std::size_t>(answer.answerTokens),
                              std::max(static_cast<std::size_t>(maxTokens), answer.text.size()));
    program.finished = answer.finished && !program.text.empty();
    if (program.text.empty())
        program.stopReason = "the answer holds no program: it has no line that begins with //!";
    else if (!answer.finished)
        program.stopReason = fmt::format("the answer does not end within {} tokens", program.tokens);
    else if (m_options.verifier)
        program.stopReason = stopReasonOf(program.text);
    return program;
}

Result<std::vector<GeneratedProgram>> EndpointWriter::write(const Target& target, const ProgramRange& range,
                                                            const CancelToken& cancel,
                                                            const WritingEvents& events) const
{
    const std::uint64_t view = seedFrom(fmt::format("text {} {}", m_options.seed, target.id.contents));
    ChatRequest asked;
    asked.system = m_instructions;
    asked.user = endpointQuestion(target, range.from, view);
    asked.temperature = m_options.greedy ? 0 : range.temperature > 0 ? range.temperature : temperature();
    asked.topP = m_options.topP;
    asked.maxTokens = m_options.maxTokens > 0 ? m_options.maxTokens : usualTokens;

    std::vector<GeneratedProgram> programs(range.count);
    std::mutex mutex; // of what follows, and of the events
    std::optional<Error> failure;
    std::size_t done = 0;
    std::atomic<std::size_t> next = 0;
    const CancelToken stop;
    const auto ask = [&](const ChatRequest& request) -> Result<GeneratedProgram> {
        try {
            SPARSERL_TRY(const auto answer, m_client->ask(request, cancel));
            return programOf(answer, request.maxTokens);
        } catch (const std::exception& error) { // On a thread of ours.
            return fail(std::string("an answer cannot be read: ") + error.what());
        }
    };
    const auto work = [&] {
        for (std::size_t i = next++; i < range.count && !cancel.cancelled() && !stop.cancelled();
             i = next++) {
            ChatRequest request = asked;
            request.seed = programSeed(m_options.seed, target.id.contents, range.first + i);
            auto program = ask(request);
            const std::lock_guard lock(mutex);
            if (!program) {
                if (!failure && !isInterruption(program.error()))
                    failure = program.error();
                stop.cancel(); // The next ones would fail likewise.
                return;
            }
            programs[i] = std::move(*program);
            if (events.onText && !programs[i].text.empty())
                events.onText(i, programs[i].text);
            if (events.onProgram)
                events.onProgram(i, programs[i]);
            if (events.progress)
                events.progress(static_cast<double>(++done) / static_cast<double>(range.count));
        }
    };
    const auto threads = std::min(range.count, static_cast<std::size_t>(m_client->settings().concurrent));
    std::vector<std::thread> pool;
    for (std::size_t i = 0; i < threads; ++i)
        pool.emplace_back(work);
    for (std::thread& thread : pool)
        thread.join();
    if (failure)
        return fail(*failure);
    return programs;
}

} // namespace

Result<ProgramWriter> endpointWriter(const std::string& endpoint, const GenerationOptions& options)
{
    SPARSERL_TRY(const auto settings, findEndpoint(endpoint));
    SPARSERL_TRY(auto client, EndpointClient::make(settings));
    return ProgramWriter::ofEndpoint(std::make_shared<const EndpointClient>(std::move(client)), options);
}

Result<ProgramWriter> ProgramWriter::ofEndpoint(std::shared_ptr<const EndpointClient> client,
                                                const GenerationOptions& options)
{
    if (options.beam > 0 || options.topK > 0 || options.broadShare > 0)
        return fail("a server offers no beams, no top-k and no mixture", "Use the temperature and top-p");
    return ProgramWriter(std::make_unique<EndpointWriter>(std::move(client), options));
}

} // namespace sparserl
