// SPDX-License-Identifier: Apache-2.0
#include "training/generation.h"

#include "base/hash.h"
#include "base/rng.h"
#include "kernel/plan.h"
#include "training/verified_sampling.h"

#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace sparserl {

struct ProgramWriter::Impl
{
    Policy policy;
    SamplingOptions sampling;
    GenerationOptions options;
};

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
            fmt::format("A beam search of {} beams cannot give {} programs", options.beam, options.count),
            "Give more beams or ask for fewer programs");
    return ProgramWriter(std::make_unique<Impl>(Impl{std::move(policy), sampling, options}));
}

std::vector<GeneratedProgram> ProgramWriter::write(const GenerationTarget& target, const CancelToken& cancel,
                                                   const std::function<void(double fraction)>& progress) const
{
    const auto& [policy, sampling, options] = *m_impl;
    const std::uint64_t viewSeed = seedFrom(fmt::format("embedding {} {}", options.seed, target.digest));
    const EncoderInput input =
        policy.inputOf(std::make_shared<const MatrixTokens>(policy.matrixTokens(*target.matrix, viewSeed)));
    const Rng root = Rng(options.seed).derive(target.digest);
    std::vector<SampleRequest> requests;
    requests.reserve(static_cast<std::size_t>(options.count));
    for (int i = 0; i < options.count; ++i)
        requests.push_back({0, root.derive(static_cast<std::uint64_t>(i)).seed()});
    const double longest = static_cast<double>(options.count) * sampling.maxTokens;
    const auto report = [&](std::size_t tokens) {
        if (progress && tokens % 256 == 0)
            progress(static_cast<double>(tokens) / longest);
    };
    const auto samples =
        sampleVerified(policy, {input}, requests, {sampling, options.verifier, report, cancel, options.beam});
    std::vector<GeneratedProgram> programs;
    for (const Sample& sample : samples) {
        GeneratedProgram program{policy.tokenizer().decode(sample.tokens),
                                 std::accumulate(sample.logProbs.begin(), sample.logProbs.end(), 0.0),
                                 sample.tokens.size(), sample.finished, sample.stopReason};
        if (!sample.finished && !sample.stopped)
            program.stopReason = fmt::format("the program does not end within {} tokens", sampling.maxTokens);
        programs.push_back(std::move(program));
    }
    return programs;
}

Result<std::vector<VerdictRecord>> judgeGenerated(Judge& judge, const GenerationTarget& target,
                                                  const std::vector<GeneratedProgram>& programs,
                                                  std::uint64_t seed, const CancelToken& cancel,
                                                  const std::function<void(double fraction)>& progress)
{
    std::vector<JudgeRequest> requests;
    for (const GeneratedProgram& program : programs) {
        JudgeRequest request;
        request.program = program.text;
        request.target = {{.digest = target.digest, .name = target.name}, target.matrix};
        if (const auto read = parseProgram(program.text); read && read->plan.task == Task::SpMM)
            request.target.id.denseColumns = target.denseColumns;
        request.seed = seed;
        request.stoppedEarly = !program.stopReason.empty();
        request.stopReason = program.stopReason;
        requests.push_back(std::move(request));
    }
    std::size_t done = 0;
    return judge.judge(requests, cancel, [&](std::size_t, const VerdictRecord&) {
        if (progress)
            progress(static_cast<double>(++done) / static_cast<double>(requests.size()));
    });
}

} // namespace sparserl
