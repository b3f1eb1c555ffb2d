// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/endpoint_words.h"
#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/read_target.h"
#include "app/cli/require_sandbox.h"
#include "app/cli/usage.h"
#include "app/training/generate_stream.h"
#include "app/training/policy_options.h"
#include "base/files.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/new_folders.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "corpus/corpus.h"
#include "evaluation/bench/bench_programs.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/features.h"
#include "project/run/default_policy.h"
#include "target/family_names.h"
#include "training/parameters/stage_parameters.h"
#include "training/parameters/suggestions.h"
#include "training/sampling/generation.h"
#include "training/work/policy_task.h"
#include "training/work/stage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {

namespace {

constexpr std::int64_t usualColumns = 8;

struct GenerateArguments
{
    std::string policy, endpoint;
    std::vector<std::string> matrices;
    GenerationOptions generation;
    std::int64_t columns = 0; ///< 0: 8, or, without a policy and a task, SpMV.
    std::uint64_t judgeSeed = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
    bool noVerifier = false, noJudge = false, stream = false;
    std::string out, device = "auto";
    std::string type; ///< Empty: that of the policy.
    std::string task; ///< Empty: that of the policy.
};

void report(const Context& context, const TargetId& target, std::size_t index,
            const GeneratedProgram& program, const VerdictRecord* record, const std::string& file)
{
    if (context.json) {
        nlohmann::json line = {
            {"matrix", target.name},
            {"digest", target.contents},
            {"sample", index},
            {"program", program.text},
            {"log_probability", program.logProb < 0 ? nlohmann::json(program.logProb) : nlohmann::json()},
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
                          : program.stopReason.empty() ? std::string("not judged")
                                                       : std::string(nameOf(Verdict::StoppedEarly));
    if (record && record->correct() && record->warm)
        verdict += fmt::format(", {:.2f} us, {:.2f} x the baseline's speed", record->warm->median,
                               record->speedup());
    else if (record && !record->message.empty())
        verdict += ": " + record->message;
    const std::string likely =
        program.logProb < 0 ? fmt::format(", log-probability {:.2f}", program.logProb) : std::string();
    context.print(formatLine("{} sample {}: {} ({}{}){}\n", target.name, index, verdict,
                             formatCounted(program.tokens, "token"), likely,
                             file.empty() ? "" : ", " + file));
    if (file.empty())
        context.print(program.text + (program.text.ends_with('\n') ? "\n" : "\n\n"));
}

using Verdicts = std::map<std::size_t, VerdictRecord>; ///< By the place of the program.

/// Verdicts of all, into `known`, which has those of before if the user interrupts; what a stream has judged
/// already is not judged again.
Status judgeAll(const Context& context, Judge& judge, const Target& target,
                const std::vector<GeneratedProgram>& programs, std::uint64_t seed, GenerateStream* stream,
                Verdicts& known)
{
    if (stream) {
        SPARSERL_TRY(known, stream->finish());
    }
    std::vector<GeneratedProgram> rest;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (known.contains(i))
            continue;
        rest.push_back(programs[i]);
        places.push_back(i);
    }
    std::size_t done = 0;
    const auto judged = judgeGenerated(
        judge, target, rest, seed, context.cancel, [&](std::size_t i, const VerdictRecord& record) {
            known.emplace(places[i], record);
            context.progress(static_cast<double>(++done) / static_cast<double>(rest.size()),
                             "judging programs");
        });
    context.endProgress();
    return judged ? Status() : fail(judged.error());
}

/// What the writer has ended by itself, by the place of the program: what an interruption leaves.
using Finished = std::map<std::size_t, GeneratedProgram>;

/// For comparison with what the default policy wrote: the corpus program with the best estimate, judged
/// alike.
int reportEstimate(const Context& context, Judge& judge, const Target& target,
                   const std::vector<VerdictRecord>& written, std::uint64_t seed)
{
    const TargetVariant& variant = target.id.variant;
    BenchChoice choice;
    choice.limit = 1;
    const auto first = benchPrograms(variant.task(), computeFeatures(*target.matrix, variant.columns),
                                     variant.columns, choice, variant.type);
    if (first.empty())
        return Done;
    GeneratedProgram program;
    program.text = first.front().text;
    program.finished = true;
    const auto judged = judgeGenerated(judge, target, {program}, seed, context.cancel, {});
    if (!judged)
        return context.failed(judged.error());
    const VerdictRecord& record = judged->front();
    if (context.json) {
        context.emit(
            {{"matrix", target.id.name},
             {"digest", target.id.contents},
             {"estimate",
              {{"family", first.front().family}, {"program", program.text}, {"verdict", toJson(record)}}}});
        return Done;
    }
    double best = 0;
    for (const VerdictRecord& one : written) {
        if (one.correct() && one.warm && (best == 0 || one.warm->median < best))
            best = one.warm->median;
    }
    const std::string estimate = record.correct() && record.warm
                                     ? fmt::format("takes {:.2f} us", record.warm->median)
                                     : fmt::format("is not usable ({})", nameOf(record.verdict));
    context.print(formatLine("{}: the policy's fastest program {}; the corpus program with the best estimate "
                             "(family {}) {}\n",
                             target.id.name,
                             best > 0 ? fmt::format("takes {:.2f} us", best) : std::string("does not exist"),
                             familyTitle(first.front().family), estimate));
    return Done;
}

/// The policy or the endpoint that was named, or the default policy. `folder`: that of the policy.
Result<ProgramWriter> writerOf(const Context& context, const GenerateArguments& options,
                               const GenerationOptions& generation, std::filesystem::path& folder)
{
    if (!options.endpoint.empty()) {
        SPARSERL_TRY(auto client, clientOf(context, options.endpoint));
        return ProgramWriter::ofEndpoint(std::move(client), generation);
    }
    SPARSERL_TRY(folder,
                 findPolicy(options.policy.empty() ? std::string(defaultPolicyName) : options.policy));
    return ProgramWriter::load(folder, generation);
}

int runGenerate(const Context& context, const GenerateArguments& options)
{
    GenerationOptions generation = options.generation;
    generation.verifier = !options.noVerifier;
    context.keeps("no program was finished");
    std::filesystem::path folder; // None: the model of an endpoint.
    const auto writer = writerOf(context, options, generation, folder);
    if (!writer)
        return context.error(writer.error());
    if (auto free = checkNewFolder(options.out); !free)
        return context.error(free.error());
    NewFolders folders;
    if (!options.out.empty()) {
        if (auto made = folders.make(options.out); !made)
            return context.error(made.error());
    }
    std::unique_ptr<Judge> judge;
    if (!options.noJudge) {
        JudgeOptions judging;
        judging.runnerPath = siblingProgram(context, "sparserl-runner");
        judging.secretSeed = secretOf(options.judgeSeed);
        judging.requiredSandbox = options.requiredSandbox;
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
    const auto named = matricesOf(options.matrices);
    if (!named)
        return context.error(named.error());
    const std::int64_t columns = options.columns > 0 ? options.columns : usualColumns;
    TargetVariant variant{columns, elementTypeFromName(options.type).value_or(elementTypeOfPolicy(folder))};
    const bool isDefault = options.policy.empty() && options.endpoint.empty();
    auto task = taskFromName(options.task);
    if (isDefault && !task)
        task = options.columns > 0 ? Task::SpMM : Task::SpMV;
    if (task)
        variant = TargetVariant::of(*task, columns, variant.type);
    if (task && !folder.empty() && !context.quiet) {
        const std::string other = otherTaskSentence(folder, std::string(nameOf(*task)), variant.type);
        if (!other.empty())
            context.note("warning: " + other);
    }
    const auto read = [&](const NamedMatrix& source) { return readTarget(source, variant, context); };
    std::optional<GenerateStream> stream;
    if (options.stream && context.json)
        stream.emplace(context, judge.get(), generation.seed);
    if (stream)
        context.emit({{"stream", "policy"}, {"temperature", writer->temperature()}});
    std::size_t correct = 0, counted = 0, kept = 0, unjudged = 0;
    // A program is stored as soon as it is finished, so that no end of the command loses it. Returns its
    // file.
    std::map<std::filesystem::path, std::string> stored; // Their texts' hashes: a beam can replace a program.
    const auto store = [&](const NamedMatrix& source, const Target& target, std::size_t i,
                           const std::string& text) -> Result<std::string> {
        if (options.out.empty())
            return std::string();
        const auto path =
            std::filesystem::path(options.out) /
            fmt::format("{}-{}-{:04}.cu", &source - named->data(), wordForFile(target.id.name), i);
        if (const auto hash = sha256Hex(text); stored[path] != hash) {
            SPARSERL_CHECK(writeFileAtomic(path, text));
            stored[path] = hash;
        }
        return path.string();
    };
    const auto keep = [&](const NamedMatrix& source, const Target& target, std::size_t i,
                          const GeneratedProgram& program, const VerdictRecord* record) -> Status {
        SPARSERL_TRY(const auto file, store(source, target, i, program.text));
        report(context, target.id, i, program, record, file);
        ++kept;
        unjudged += judge && !record && program.stopReason.empty() ? 1 : 0;
        return {};
    };
    // Nothing that was finished is thrown away, neither by an interruption nor by an error. `all`: where the
    // writing was interrupted, with the log-probabilities.
    const auto keepFinished = [&](const NamedMatrix& source, const Target& target, const Finished& finished,
                                  const std::vector<GeneratedProgram>* all, const Verdicts& verdicts) {
        status = Interrupted;
        for (const auto& [i, program] : finished) {
            const auto verdict = verdicts.find(i);
            if (const auto ok = keep(source, target, i, all ? all->at(i) : program,
                                     verdict != verdicts.end() ? &verdict->second : nullptr);
                !ok) {
                context.error(ok.error());
                return;
            }
        }
    };
    const auto tellKept = [&] {
        const auto all = static_cast<std::int64_t>(named->size()) * generation.count;
        if (kept == 0) {
            context.keeps(fmt::format("none of {} was finished", formatCounted(all, "program")));
            return;
        }
        context.keeps(fmt::format("{} of {} are finished{}{}", formatGrouped(static_cast<std::int64_t>(kept)),
                                  formatCounted(all, "program"),
                                  options.out.empty() ? "" : " and in " + printableLine(options.out),
                                  unjudged > 0 ? fmt::format("; {} of them are not judged", unjudged) : ""));
    };
    const auto write = [&](const NamedMatrix& source, const Target& target) {
        if (stream)
            stream->begin(target);
        Finished finished;
        WritingEvents events;
        events.progress = [&](double fraction) {
            context.progress(fraction, fmt::format("writing programs, {} of {} finished", finished.size(),
                                                   generation.count));
        };
        if (stream)
            events.onText = [&](std::size_t i, std::string_view text) { stream->addText(i, text); };
        events.onProgram = [&](std::size_t i, const GeneratedProgram& program) {
            finished.emplace(i, program);
            (void)store(source, target, i, program.text); // keep() tries again, and says what is wrong.
            if (stream)
                stream->judge(i, program);
        };
        const ProgramRange range{0, static_cast<std::size_t>(generation.count), 0, task.has_value(), {}};
        const auto written = writer->write(target, range, context.cancel, events);
        context.endProgress();
        if (context.cancel.cancelled()) {
            keepFinished(source, target, finished, written ? &*written : nullptr, {});
            return false;
        }
        if (!written) { // The others would fail likewise.
            keepFinished(source, target, finished, nullptr, {});
            status = context.error(written.error());
            return false;
        }
        const std::vector<GeneratedProgram>& programs = *written;
        for (std::size_t i = 0; i < programs.size(); ++i)
            finished[i] = programs[i]; // those of a beam search, too
        Verdicts verdicts;
        Status judged;
        if (judge)
            judged = judgeAll(context, *judge, target, programs, generation.seed, stream ? &*stream : nullptr,
                              verdicts);
        if (context.cancel.cancelled()) {
            keepFinished(source, target, finished, nullptr, verdicts);
            return false;
        }
        if (!judged) {
            keepFinished(source, target, finished, nullptr, verdicts);
            status = context.failed(judged.error());
            return true;
        }
        std::vector<VerdictRecord> records;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            if (judge)
                records.push_back(verdicts.at(i));
            if (const auto ok = keep(source, target, i, programs[i], judge ? &records[i] : nullptr); !ok) {
                status = context.error(ok.error());
                return false;
            }
        }
        if (judge && isDefault) {
            status = std::max(status, reportEstimate(context, *judge, target, records, generation.seed));
            if (status == Interrupted)
                return false;
        }
        counted += records.size();
        correct += static_cast<std::size_t>(
            std::count_if(records.begin(), records.end(), [](const auto& one) { return one.correct(); }));
        return true;
    };
    tellKept();
    const bool wentOn = context.cancel.cancelled() || readEach(context, *named, status, read, write);
    tellKept();
    if (!wentOn)
        return status;
    // Who chose how programs are drawn needs no advice on it.
    if (generation.temperature <= 0 && !generation.greedy && generation.beam == 0 && !context.quiet)
        if (const double lower = lowerTemperature(correct, counted, writer->temperature()); lower > 0)
            context.note(
                fmt::format("{} of {} programs are correct. A lower temperature than {} usually gives "
                            "more: try --temperature {}",
                            correct, counted, writer->temperature(), lower));
    return context.cancel.cancelled() ? int(Interrupted) : status;
}

} // namespace

Body add_generate(CLI::App& app, Context& context)
{
    auto options = std::make_shared<GenerateArguments>();
    CLI::App* command = addTrainingCommand(app, "generate");
    auto* policy = addPolicy(*command, options->policy);
    command
        ->add_option("--endpoint", options->endpoint,
                     "Endpoint whose model writes, instead of a policy (`sparserl endpoint list`)")
        ->excludes(policy);
    takesNames(command->add_option("MATRIX,--matrix", options->matrices, matrixHelp), "matrices")->required();
    command->add_option("-n", options->generation.count, "Programs per matrix")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    command
        ->add_option("--temperature", options->generation.temperature,
                     "Sampling temperature; the policy's own by default")
        ->check(positiveNumber());
    command
        ->add_option("--max-tokens", options->generation.maxTokens,
                     "Longest program; the policy's own limit by default")
        ->check(positiveNumber());
    command
        ->add_option(
            "--task", options->task,
            "What the programs compute, if the policy writes programs of both tasks; the policy's own "
            "by default")
        ->check(CLI::IsMember({"spmv", "spmm"}));
    command->add_option("--columns", options->columns, "Dense columns of SpMM; 8 by default")
        ->check(CLI::Range(2, 1024));
    command->add_option("--type", options->type, "Element type of the programs (default: the policy's)")
        ->check(CLI::IsMember({"f32", "f64"}));
    command->add_option("--top-k", options->generation.topK, "Sample among the k most likely tokens; 0: all")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    command
        ->add_option("--top-p", options->generation.topP,
                     "Sample among the most likely tokens that reach this probability")
        ->check(CLI::Range(1e-6, 1.0))
        ->capture_default_str();
    command
        ->add_option("--broad-share", options->generation.broadShare,
                     "Share of the mixture drawn from all tokens at --broad-temperature")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    command
        ->add_option("--broad-temperature", options->generation.broadTemperature, "Temperature of that share")
        ->check(positiveNumber())
        ->capture_default_str();
    command
        ->add_option(
            "--beam", options->generation.beam,
            "Beams of a search for the most likely programs, instead of sampling; -n is at most this")
        ->check(CLI::Range(1, 4096));
    command->add_flag("--greedy", options->generation.greedy, "Always take the most likely token");
    command->add_flag("--no-verifier", options->noVerifier,
                      "Do not stop programs that can no longer compile");
    command->add_flag("--stream", options->stream,
                      "With --json, also stream the text being written, and verdicts as they come");
    command->add_flag("--no-judge", options->noJudge, "Write programs only");
    command->add_option("--device", options->device, "Where programs are judged")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    addPolicyCompute(*command, options->generation.device, options->generation.precision);
    command->add_option("--seed", options->generation.seed, "Seed of the draws")->capture_default_str();
    addJudgeSeed(*command, options->judgeSeed);
    addRequireSandbox(*command, options->requiredSandbox);
    command->add_option("--out", options->out, "New folder for the programs, one file each");
    return [options, &context] { return runGenerate(context, *options); };
}

} // namespace sparserl::cli
