// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/corpus_check.h"

#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/read_target.h"

#include "base/files.h"
#include "base/new_place.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"
#include "matrix/matrix_list.h"
#include "target/family_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

Result<std::vector<Target>> readTargets(const std::vector<std::string>& words, ElementType type,
                                        const Context& context)
{
    std::vector<Target> targets;
    SPARSERL_TRY(const auto listed, listMatricesHere(words));
    for (const ListedMatrix& entry : listed) {
        SPARSERL_TRY(auto target,
                     readTarget({.word = entry.name, .load = entry.load}, {.type = type}, context));
        targets.push_back(std::move(target));
    }
    return targets;
}

/// Small matrices of different kinds; the first suits every format.
Result<std::vector<Target>> smallTargets()
{
    constexpr std::array<const char*, 4> specs{
        {"banded(n=401,band=3,fill=0.9)", "lp(rows=240,cols=1500,mean=4,long=3,longfill=0.9)",
         "rmat(scale=8,degree=5)", "pruned(rows=61,cols=333,sparsity=0.6)"}};
    std::vector<Target> targets;
    for (const char* spec : specs) {
        SPARSERL_TRY(auto made, generate(spec));
        Target target{{.name = spec}, std::make_shared<const Csr>(std::move(made))};
        target.id.contents = digest(*target.matrix);
        targets.push_back(std::move(target));
    }
    return targets;
}

struct Count
{
    int correct = 0, notApplicable = 0, failed = 0;
    double boundShare = 0; ///< The largest.
};

/// What a format refused is judged on the band, which suits them all.
Status judgeRefusedAgain(Judge& judge, const std::vector<JudgeRequest>& requests, const Target& band,
                         const CancelToken& cancel, std::vector<VerdictRecord>& records)
{
    std::vector<std::size_t> again;
    std::vector<JudgeRequest> second;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].verdict != Verdict::FormatError)
            continue;
        again.push_back(i);
        second.push_back(requests[i]);
        second.back().target = band;
        second.back().target.id.variant = requests[i].target.id.variant;
    }
    if (!again.empty()) {
        auto more = judge.judge(second, cancel, {});
        if (!more)
            return fail(more.error());
        for (std::size_t k = 0; k < again.size() && k < more->size(); ++k)
            records[again[k]] = (*more)[k];
    }
    return {};
}

/// Says what is wrong with one program, and keeps it where asked to.
Status reportWrong(const Context& context, const CorpusCheckOptions& options, std::size_t number,
                   const DerivedProgram& program, const VerdictRecord& record)
{
    std::string file;
    if (!options.keep.empty()) {
        file = (std::filesystem::path(options.keep) / fmt::format("{}-{:05}.cu", program.family, number))
                   .string();
        SPARSERL_CHECK(writeFileAtomic(file, program.text));
    }
    context.emit({{"program", number},
                  {"matrix", record.target.name},
                  {"seed", record.seed},
                  {"family", program.family},
                  {"parameters", program.parameters},
                  {"verdict", std::string(nameOf(record.verdict))},
                  {"message", record.message},
                  {"file", file}});
    if (!context.json)
        context.print(fmt::format("{} {} {} on {}, seed {}: {} (line {}) {} {}\n", number,
                                  familyTitle(program.family), parametersJson(program.parameters),
                                  record.target.name, record.seed, nameOf(record.verdict), record.line,
                                  record.message, file));
    return {};
}

void printTotals(const Context& context, Task task, const std::map<std::string, Count>& counts,
                 std::size_t judged, int failures)
{
    int total = 0;
    double largestShare = 0;
    for (const Family& family : families(task)) {
        const auto found = counts.find(family.id);
        if (found == counts.end())
            continue;
        const Count& count = found->second;
        total += count.correct;
        context.emit({{"family", family.id},
                      {"correct", count.correct},
                      {"not_applicable", count.notApplicable},
                      {"failed", count.failed},
                      {"bound_share", count.boundShare}});
        largestShare = std::max(largestShare, count.boundShare);
        if (!context.json)
            context.print(fmt::format(
                "{:<6} {:5} correct {:5} not applicable {:5} failed {:6.3f} of the bound   {}\n", family.id,
                count.correct, count.notApplicable, count.failed, count.boundShare, family.name));
    }
    context.print(fmt::format(
        "{} of {} judgements are correct, {} failed; sums come to {:.3f} of the error bound at most\n", total,
        judged, failures, largestShare));
}

} // namespace

int checkCorpus(const CorpusCheckOptions& options, const Context& context)
{
    if (auto free = checkNewFolder(options.keep); !free)
        return context.error(free.error());
    const auto task = taskFromName(options.task);
    const auto small = smallTargets();
    if (!small)
        return context.error(small.error());
    auto targets = small;
    const ElementType type = elementTypeFromName(options.type).value_or(ElementType::F32);
    if (!options.matrices.empty())
        targets = readTargets(options.matrices, type, context);
    if (!targets)
        return context.error(targets.error());
    SampleOptions sampling;
    sampling.families = options.families;
    sampling.type = type;
    sampling.variety = options.variety;
    const Rng root(options.seed);
    std::vector<DerivedProgram> programs;
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < options.count; ++i) {
        Rng rng = root.derive(static_cast<std::uint64_t>(i)); // As in `corpus sample`.
        auto program = sampleProgram(*task, sampling, rng);
        if (!program)
            return context.error(program.error());
        const Target& target = (*targets)[static_cast<std::size_t>(i) % targets->size()];
        JudgeRequest request;
        request.program = program->text;
        request.target = target;
        request.target.id.variant.type = sampling.type;
        if (*task == Task::SpMM)
            request.target.id.variant.columns = options.columns > 0 ? options.columns
                                                : i / 4 % 2 == 0    ? 8
                                                                    : 32;
        for (int k = 0; k < options.inputs; ++k) {
            request.seed = static_cast<std::uint64_t>(i) + 1'000'000 * static_cast<std::uint64_t>(k);
            requests.push_back(request);
            programs.push_back(*program);
        }
    }
    JudgeOptions judgeOptions;
    judgeOptions.runnerPath = siblingProgram(context, "sparserl-runner");
    judgeOptions.simRunners = options.runners;
    judgeOptions.secretSeed = secretOf(options.judgeSeed);
    judgeOptions.requiredSandbox = options.requiredSandbox;
    if (options.fullCheck >= 0)
        judgeOptions.fullCheckNnz = options.fullCheck;
    auto judge = makeJudge(options.device, judgeOptions);
    if (!judge)
        return context.error(judge.error());
    std::size_t finished = 0;
    const auto progress = [&](std::size_t, const VerdictRecord&) {
        context.progress(static_cast<double>(++finished) / static_cast<double>(programs.size()), "judging");
    };
    auto records = (*judge)->judge(requests, context.cancel, progress);
    if (records && !context.cancel.cancelled()) {
        const auto again = judgeRefusedAgain(**judge, requests, small->front(), context.cancel, *records);
        if (!again)
            return context.failed(again.error());
    }
    context.endProgress();
    if (!records)
        return context.failed(records.error());
    if (context.cancel.cancelled())
        return Interrupted;

    std::map<std::string, Count> counts;
    int failures = 0;
    for (std::size_t i = 0; i < records->size(); ++i) {
        const VerdictRecord& record = (*records)[i];
        Count& count = counts[programs[i].family];
        if (record.correct()) {
            ++count.correct;
            count.boundShare = std::max(count.boundShare, record.boundShare);
            continue;
        }
        if (record.verdict == Verdict::FormatError) {
            ++count.notApplicable;
            continue;
        }
        ++count.failed;
        ++failures;
        const auto said =
            reportWrong(context, options, i / static_cast<std::size_t>(options.inputs), programs[i], record);
        if (!said)
            return context.error(said.error());
    }
    printTotals(context, *task, counts, records->size(), failures);
    return failures == 0 ? Done : Failed;
}

} // namespace sparserl::cli
