// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/generation.h"

#include "kernel/plan.h"
#include "policy/tokenizer/utf8.h"
#include "training/data/sft_prompt.h"
#include "training/sampling/policy_input.h"
#include "training/sampling/program_draws.h"
#include "training/sampling/program_writer_impl.h"
#include "training/sampling/verified_sampling.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace sparserl {

namespace {

/// A policy of this machine.
class LocalWriter : public ProgramWriter::Impl
{
public:
    LocalWriter(Policy policy, const SamplingOptions& sampling, const GenerationOptions& options)
        : m_policy(std::move(policy))
        , m_sampling(sampling)
        , m_options(options)
    {
    }
    std::size_t count() const override { return static_cast<std::size_t>(m_options.count); }
    double temperature() const override { return m_sampling.temperature; }
    bool refines() const override { return m_policy.config().refines; }
    Result<std::vector<GeneratedProgram>> write(const Target& target, const ProgramRange& range,
                                                const CancelToken& cancel,
                                                const WritingEvents& events) const override;

private:
    Policy m_policy;
    SamplingOptions m_sampling;
    GenerationOptions m_options;
};

} // namespace

ProgramWriter::ProgramWriter(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
ProgramWriter::ProgramWriter(ProgramWriter&&) noexcept = default;
ProgramWriter& ProgramWriter::operator=(ProgramWriter&&) noexcept = default;
ProgramWriter::~ProgramWriter() = default;

Result<ProgramWriter> ProgramWriter::load(const std::filesystem::path& folder,
                                          const GenerationOptions& options)
{
    SPARSERL_TRY(auto policy, Policy::load(folder));
    SPARSERL_TRY(const auto compute, computeFor(options.device, options.precision));
    policy.moveTo(compute);
    const GenerationSettings& own = policy.config().generation;
    SamplingOptions sampling;
    sampling.temperature = options.temperature > 0 ? options.temperature : own.temperature;
    sampling.maxTokens = options.maxTokens > 0 ? options.maxTokens : own.maxTokens;
    sampling.topK = options.topK;
    sampling.topP = options.topP;
    sampling.greedy = options.greedy;
    sampling.broadFraction = options.broadShare;
    sampling.broadTemperature = options.broadTemperature;
    SPARSERL_CHECK(sampling.check());
    if (options.beam > 0 && options.count > options.beam)
        return fail(
            fmt::format("a beam search of {} beams cannot give {} programs", options.beam, options.count),
            "Give more beams or ask for fewer programs");
    return ProgramWriter(std::make_unique<LocalWriter>(std::move(policy), sampling, options));
}

double ProgramWriter::temperature() const
{
    return m_impl->temperature();
}

bool ProgramWriter::refines() const
{
    return m_impl->refines();
}

Result<std::vector<GeneratedProgram>> ProgramWriter::write(const Target& target, const CancelToken& cancel,
                                                           const WritingEvents& events) const
{
    return write(target, {0, m_impl->count(), 0, false}, cancel, events);
}

Result<std::vector<GeneratedProgram>> ProgramWriter::write(const Target& target, const ProgramRange& range,
                                                           const CancelToken& cancel,
                                                           const WritingEvents& events) const
{
    return m_impl->write(target, range, cancel, events);
}

Result<std::vector<GeneratedProgram>> LocalWriter::write(const Target& target, const ProgramRange& range,
                                                         const CancelToken& cancel,
                                                         const WritingEvents& events) const
{
    const Policy& policy = m_policy;
    const GenerationOptions& options = m_options;
    SamplingOptions sampling = m_sampling;
    if (range.temperature > 0)
        sampling.temperature = range.temperature;
    const std::string& trained = policy.config().prompt;
    const auto own =
        range.forTask ? promptFor(trained, target.id.variant) : promptInType(trained, target.id.variant.type);
    const ModelInput input = policyInput(policy, *target.matrix, viewSeed(options.seed, target.id.contents),
                                         range.from ? refinePrompt(target.id.variant, *range.from) : own);
    std::vector<SampleRequest> requests;
    requests.reserve(range.count);
    for (std::size_t i = 0; i < range.count; ++i)
        requests.push_back({0, programSeed(options.seed, target.id.contents, range.first + i)});
    const double longest = static_cast<double>(range.count) * sampling.maxTokens;
    std::size_t spared = 0; // tokens that programs might have had, and that ended before
    const auto report = [&](std::size_t tokens) {
        constexpr std::size_t seldom = 64;
        if (events.progress && tokens % seldom == 0)
            events.progress(static_cast<double>(tokens + spared) / longest);
    };
    const std::string tooLong = fmt::format("the program does not end within {} tokens", sampling.maxTokens);
    VerifiedSampling how{sampling, options.verifier, report, cancel, options.beam, {}, {}};
    std::vector<GeneratedProgram> written(requests.size());
    std::vector<Utf8Stream> streams(requests.size());
    how.onToken = [&](std::size_t request, std::string_view bytes) {
        written[request].text += bytes;
        ++written[request].tokens;
        if (!events.onText)
            return;
        if (const std::string text = streams[request].feed(bytes); !text.empty())
            events.onText(request, text);
    };
    const auto most = static_cast<std::size_t>(sampling.maxTokens); // clang 14 captures no part of a binding
    how.onEnd = [&](std::size_t request, const std::string& stopReason) {
        GeneratedProgram& program = written[request];
        if (const std::string rest = streams[request].finish(); events.onText && !rest.empty())
            events.onText(request, rest);
        program.finished = stopReason.empty() && program.tokens < most;
        program.text = validUtf8(program.text);
        spared += most - std::min(most, program.tokens);
        program.stopReason = !stopReason.empty() || program.finished ? stopReason : tooLong;
        if (events.onProgram)
            events.onProgram(request, program);
    };
    const auto samples = sampleVerified(policy, {input}, requests, how);
    std::vector<GeneratedProgram> programs;
    for (const Sample& sample : samples) {
        GeneratedProgram program{validUtf8(policy.tokenizer().decode(sample.tokens)),
                                 std::accumulate(sample.logProbs.begin(), sample.logProbs.end(), 0.0),
                                 sample.tokens.size(), sample.finished, sample.stopReason};
        if (!sample.finished && !sample.stopped)
            program.stopReason = tooLong;
        programs.push_back(std::move(program));
    }
    return programs;
}

Result<std::vector<VerdictRecord>>
judgeGenerated(Judge& judge, const Target& target, const std::vector<GeneratedProgram>& programs,
               std::uint64_t seed, const CancelToken& cancel,
               const std::function<void(std::size_t index, const VerdictRecord& record)>& done)
{
    std::vector<JudgeRequest> requests;
    for (const GeneratedProgram& program : programs) {
        JudgeRequest request;
        request.program = program.text;
        request.target = target;
        if (const auto read = parseProgram(program.text); !read || read->plan.task != Task::SpMM)
            request.target.id.variant.columns = 1;
        request.seed = seed;
        request.stoppedEarly = !program.stopReason.empty();
        request.stopReason = program.stopReason;
        requests.push_back(std::move(request));
    }
    return judge.judge(requests, cancel, done);
}

} // namespace sparserl
