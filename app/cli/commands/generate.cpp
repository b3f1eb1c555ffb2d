// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "base/files.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/make_judge.h"
#include "kernel/verifier.h"
#include "policy/policy.h"
#include "training/stage.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

namespace sparserl::cli {

namespace {

struct Options
{
    std::string policy;
    std::vector<std::string> matrices;
    int count = 10;
    double temperature = 0; ///< 0: as the policy says
    int maxTokens = 0;      ///< 0: as the policy says
    int topK = 0;
    double topP = 1;
    bool greedy = false;
    bool noVerifier = false, noJudge = false;
    std::uint64_t seed = 1;
    std::string out, device = "auto";
};

/// A matrix that was read, with what the encoder and the judge need of it.
struct Target
{
    std::string file;
    std::shared_ptr<const Csr> matrix;
    std::string digest;
    EncoderInput input;
};

struct Program
{
    std::string text;
    double logProb = 0;
    std::size_t tokens = 0;
    bool finished = false;
    std::string stopReason; ///< Why it cannot compile; empty if it may.
};

Result<Target> readTarget(const NamedMatrix& source, const Policy& policy, const Options& options,
                          const Context& context)
{
    ReadOptions reading;
    reading.cancel = context.cancel;
    reading.progress = [&](double fraction, std::string_view) {
        context.progress(fraction, "reading " + source.word);
    };
    auto read = source.load(reading);
    context.endProgress();
    if (!read)
        return fail(read.error());
    Target target;
    target.file = source.word;
    target.matrix = std::make_shared<const Csr>(std::move(*read));
    target.digest = digest(*target.matrix);
    const std::uint64_t seed = seedFrom(fmt::format("embedding {} {}", options.seed, target.digest));
    target.input.matrix = std::make_shared<const MatrixTokens>(policy.matrixTokens(*target.matrix, seed));
    return target;
}

SamplingOptions samplingOptions(const Options& options, const Policy& policy)
{
    SamplingOptions sampling;
    sampling.temperature =
        options.temperature > 0 ? options.temperature : policy.config().generation.temperature;
    sampling.maxTokens = options.maxTokens > 0 ? options.maxTokens : policy.config().generation.maxTokens;
    sampling.topK = options.topK;
    sampling.topP = options.topP;
    sampling.greedy = options.greedy;
    return sampling;
}

/// Samples programs for one matrix. The verifier reads along and stops those that cannot compile any more.
std::vector<Program> sample(const Policy& policy, const Target& target, const Options& options,
                            const SamplingOptions& sampling, const Context& context)
{
    const Rng root = Rng(options.seed).derive(target.digest);
    std::vector<SampleRequest> requests;
    for (int i = 0; i < options.count; ++i)
        requests.push_back(
            {0, root.derive(std::uint64_t(i)).seed()}); // The n-th does not depend on how many.
    std::vector<IncrementalVerifier> verifiers(options.noVerifier ? 0 : std::size_t(options.count));
    std::size_t done = 0;
    const TokenHook hook = [&](std::size_t request, std::int32_t token) -> std::optional<std::string> {
        if (++done % 256 == 0)
            context.progress(double(done) / (double(options.count) * sampling.maxTokens), "writing programs");
        if (verifiers.empty())
            return std::nullopt;
        const auto stop = verifiers[request].feed(policy.tokenizer().bytes(token));
        return stop ? std::optional(fmt::format("line {}: {}", stop->line, stop->reason)) : std::nullopt;
    };
    std::vector<Program> programs;
    const auto samples = policy.generate({target.input}, requests, sampling, hook, context.cancel);
    context.endProgress();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample& s = samples[i];
        Program program{policy.tokenizer().decode(s.tokens),
                        std::accumulate(s.logProbs.begin(), s.logProbs.end(), 0.0), s.tokens.size(),
                        s.finished, s.stopReason};
        if (!s.finished && !s.stopped)
            program.stopReason = fmt::format("the program does not end within {} tokens", sampling.maxTokens);
        programs.push_back(std::move(program));
    }
    return programs;
}

Result<std::vector<VerdictRecord>> judgeAll(Judge& judge, const Target& target,
                                            const std::vector<Program>& programs, const Options& options,
                                            const Context& context)
{
    std::vector<JudgeRequest> requests;
    for (const Program& program : programs) {
        JudgeRequest request;
        request.program = program.text;
        request.matrix = target.matrix;
        request.matrixDigest = target.digest;
        request.matrixName = target.file;
        request.seed = options.seed;
        request.stoppedEarly = !program.stopReason.empty();
        request.stopReason = program.stopReason;
        requests.push_back(std::move(request));
    }
    std::size_t done = 0;
    auto records = judge.judge(requests, context.cancel, [&](std::size_t, const VerdictRecord&) {
        context.progress(double(++done) / double(requests.size()), "judging programs");
    });
    context.endProgress();
    return records;
}

void report(const Context& context, const Target& target, std::size_t index, const Program& program,
            const VerdictRecord* record, const std::string& file)
{
    if (context.json) {
        nlohmann::json line = {{"matrix", target.file},
                               {"digest", target.digest},
                               {"sample", index},
                               {"program", program.text},
                               {"log_probability", program.logProb},
                               {"tokens", program.tokens},
                               {"finished", program.finished},
                               {"stop_reason", program.stopReason},
                               {"verdict", record ? toJson(*record) : nlohmann::json()}};
        const auto family = identifyFamily(program.text);
        line["family"] = family ? nlohmann::json(*family) : nlohmann::json();
        if (!file.empty())
            line["file"] = file;
        // Samples are any bytes; JSON is UTF-8.
        context.emit(
            nlohmann::json::parse(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
        return;
    }
    std::string verdict = record                       ? std::string(nameOf(record->verdict))
                          : program.stopReason.empty() ? "not judged"
                                                       : "stopped-early";
    if (record && record->correct() && record->warm)
        verdict += fmt::format(", {:.2f} us, {:.2f} x the baseline's speed", record->warm->median,
                               record->speedup());
    else if (record && !record->message.empty())
        verdict += ": " + record->message;
    context.print(fmt::format("{} sample {}: {} ({} tokens, log-probability {:.2f}){}\n", target.file, index,
                              verdict, program.tokens, program.logProb, file.empty() ? "" : ", " + file));
    if (file.empty())
        context.print(program.text + (program.text.ends_with('\n') ? "\n" : "\n\n"));
}

int run(const Context& context, const Options& options)
{
    const auto folder = findPolicy(options.policy);
    if (!folder) {
        return context.error(folder.error());
    }
    auto policy = Policy::load(*folder);
    if (!policy)
        return context.error(policy.error());
    const SamplingOptions sampling = samplingOptions(options, *policy);
    if (auto ok = sampling.check(); !ok)
        return context.error(ok.error());
    if (!options.out.empty()) {
        if (auto made = makeDirectories(options.out); !made)
            return context.error(made.error());
    }
    std::unique_ptr<Judge> judge;
    if (!options.noJudge) {
        JudgeOptions judging;
        judging.runnerPath = siblingProgram(context, "sparserl-runner");
        judging.log = [&](std::string_view sentence) {
            if (!context.quiet)
                context.note(sentence);
        };
        auto made = makeJudge(options.device, std::move(judging));
        if (!made)
            return context.error({made.error().what, made.error().file, made.error().line,
                                  made.error().remedy + " (or generate with --no-judge)"});
        judge = std::move(*made);
    }
    int status = Done;
    std::vector<NamedMatrix> named;
    for (const std::string& word : options.matrices) {
        auto matrices = matricesOf(word);
        if (!matrices) {
            status = context.error(matrices.error());
            continue;
        }
        std::move(matrices->begin(), matrices->end(), std::back_inserter(named));
    }
    for (std::size_t m = 0; m < named.size() && !context.cancel.cancelled(); ++m) {
        const auto target = readTarget(named[m], *policy, options, context);
        if (!target) {
            status = context.error(target.error());
            continue;
        }
        const auto programs = sample(*policy, *target, options, sampling, context);
        if (context.cancel.cancelled())
            break;
        std::vector<VerdictRecord> records;
        if (judge) {
            auto judged = judgeAll(*judge, *target, programs, options, context);
            if (context.cancel.cancelled())
                break;
            if (!judged) {
                status = context.error(judged.error());
                continue;
            }
            records = std::move(*judged);
        }
        for (std::size_t i = 0; i < programs.size(); ++i) {
            std::string file;
            if (!options.out.empty()) {
                const auto stem = std::filesystem::path(target->file).filename().string();
                const auto path =
                    std::filesystem::path(options.out) / fmt::format("{}-{}-{:04}.cu", m, stem, i);
                if (auto written = writeFileAtomic(path, programs[i].text); !written)
                    return context.error(written.error());
                file = path.string();
            }
            report(context, *target, i, programs[i], judge ? &records[i] : nullptr, file);
        }
    }
    return context.cancel.cancelled() ? int(Interrupted) : status;
}

} // namespace

Body add_generate(CLI::App& app, Context& context)
{
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("generate", "Let a policy write programs for matrices, and judge them.");
    command->add_option("--policy", options->policy, "Policy directory, checkpoint or run directory.")
        ->required();
    command
        ->add_option("--matrix", options->matrices,
                     "Matrix Market or .smtx file, plain or gzip; may be repeated")
        ->required();
    command->add_option("-n", options->count, "Programs per matrix")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    command
        ->add_option("--temperature", options->temperature,
                     "Sampling temperature; the policy's own by default")
        ->check(CLI::PositiveNumber);
    command
        ->add_option("--max-tokens", options->maxTokens, "Longest program; the policy's own limit by default")
        ->check(CLI::PositiveNumber);
    command->add_option("--top-k", options->topK, "Sample among the k most likely tokens; 0: all")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command
        ->add_option("--top-p", options->topP,
                     "Sample among the most likely tokens that reach this probability")
        ->check(CLI::Range(1e-6, 1.0))
        ->capture_default_str();
    command->add_flag("--greedy", options->greedy, "The most likely token each time");
    command->add_flag("--no-verifier", options->noVerifier,
                      "Do not stop programs that can no longer compile");
    command->add_flag("--no-judge", options->noJudge, "Write programs only");
    command->add_option("--device", options->device, "Where programs are judged")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the draws")->capture_default_str();
    command->add_option("--out", options->out, "Folder for the programs, one file each");
    return [options, &context] { return run(context, *options); };
}

} // namespace sparserl::cli
