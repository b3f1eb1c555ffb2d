// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "base/interruption.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/endpoint_settings.h"
#include "kernel/verifier.h"
#include "training/data/endpoint_prompt.h"
#include "training/sampling/ask_together.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/program_writer_impl.h"
#include "training/sampling/stop_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
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
    return stop ? stopWords(*stop) : std::string();
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
    std::size_t done = 0;
    Questions questions;
    questions.count = range.count;
    questions.concurrent = m_client->settings().concurrent;
    questions.ask = [&](std::size_t i) -> Status {
        ChatRequest request = asked;
        request.seed = programSeed(m_options.seed, target.id.contents, range.first + i);
        SPARSERL_TRY(const auto answer, m_client->ask(request, cancel));
        programs[i] = programOf(answer, request.maxTokens);
        return {};
    };
    questions.answered = [&](std::size_t i) {
        ++done;
        if (events.onText && !programs[i].text.empty())
            events.onText(i, programs[i].text);
        if (events.onProgram)
            events.onProgram(i, programs[i]);
    };
    questions.meanwhile = [&] {
        if (events.progress)
            events.progress(static_cast<double>(done) / static_cast<double>(range.count));
    };
    if (const auto answered = askTogether(questions, cancel); !answered && !isInterruption(answered.error()))
        return fail(answered.error());
    return programs;
}

} // namespace

Result<ProgramWriter> endpointWriter(const std::string& endpoint, const GenerationOptions& options,
                                     const std::function<void(std::string_view)>& log)
{
    SPARSERL_TRY(const auto settings, findEndpoint(endpoint));
    SPARSERL_TRY(auto client, EndpointClient::make(settings, log));
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
