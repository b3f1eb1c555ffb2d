// SPDX-License-Identifier: Apache-2.0
#include "evaluation/operators/checked_import.h"

#include "base/interruption.h"
#include "base/json.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_file.h"
#include "operator/graph/shown_name.h"
#include "operator/graph/task_tensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

namespace {

/// Of fp64; a task that takes longer is not tried at larger sizes.
constexpr double slowSeconds = 20;

/// Runs a graph and compares its outputs with what the task's own Python returned.
Result<OracleReport> examineSize(OracleProcess& oracle, const ImportedSize& size)
{
    const auto isStored = [&](const auto& one) { return size.tensors.contains(one.name); };
    // PyTorch drew the tensors that are not stored with its own generator.
    const bool comparable =
        std::ranges::all_of(size.graph.inputs, isStored) && std::ranges::all_of(size.graph.weights, isStored);
    SPARSERL_TRY(auto report, oracle.examine(dumpJson(toJson(size.graph)), formatTensors(size.tensors), {},
                                             comparable ? formatTensors(size.expected) : std::string()));
    for (std::size_t i = 0; comparable && i < report.outputs.size() && i < size.graph.outputs.size(); ++i) {
        const OutputSummary& output = report.outputs[i];
        if (!output.recorded)
            return fail(fmt::format("the task returned no {} (size {})", shownName(output.name),
                                    shownName(size.graph.size)));
        // Another PyTorch may sum thousands of products one after another.
        const auto value = static_cast<std::size_t>(size.graph.outputs[i].value);
        const double allowed = std::max(output.tolerance, noiseLimit(size.graph.values[value].element));
        if (!(*output.recorded <= allowed))
            return fail(
                fmt::format("the recorded graph does not compute what the task returned: {} differs by "
                            "{:.2g} of its largest magnitude (size {})",
                            shownName(output.name), *output.recorded, shownName(size.graph.size)));
    }
    return report;
}

/// A task whose smallest size was run.
struct Candidate
{
    ImportedTask task;
    OracleReport base;
    std::vector<std::string> unreproduced;
};

Result<Candidate> importOnce(const ImportPython& python, const TaskSource& source,
                             const ImportOptions& options, OracleProcess& oracle)
{
    SPARSERL_TRY(auto task, importTask(python, source, options));
    Candidate made{std::move(task), {}, {}};
    for (ImportedSize& size : made.task.sizes) {
        const auto wrong = dropWrongFills(size.graph, size.tensors);
        made.unreproduced.insert(made.unreproduced.end(), wrong.begin(), wrong.end());
    }
    std::ranges::sort(made.unreproduced);
    made.unreproduced.erase(std::unique(made.unreproduced.begin(), made.unreproduced.end()),
                            made.unreproduced.end());
    if (made.task.full && !made.unreproduced.empty()) {
        made.task.full.reset();
        made.task.noFull = fmt::format("the elements of {} do not come from what PyTorch was seen to draw",
                                       shownName(made.unreproduced.front()));
    }
    SPARSERL_TRY(made.base, examineSize(oracle, made.task.sizes.front()));
    return made;
}

std::string rejection(const OperatorGraph& graph, const OracleReport& report)
{
    return fmt::format(
        "{}: {}", shownName(graph.size),
        fmt::format("fp32 differs from fp64 by {:.2g} of the largest magnitude", report.noise));
}

/// Looks for a larger smallest size whose outputs say more.
Status improve(const ImportPython& python, const TaskSource& source, ImportOptions options,
               OracleProcess& oracle, Candidate& best, std::vector<std::string>& rejected)
{
    auto digest = graphDigest(best.task.sizes.front().graph);
    for (options.larger = 1; options.larger <= mostLarger && isRounding(best.base); ++options.larger) {
        if (!best.task.scaled || best.base.seconds64 > slowSeconds)
            break;
        auto next = importOnce(python, source, options, oracle);
        if (!next && isInterruption(next.error()))
            return fail(next.error());
        if (!next)
            break;
        auto nextDigest = graphDigest(next->task.sizes.front().graph);
        if (nextDigest == digest)
            continue;
        digest = std::move(nextDigest);
        const bool better = next->base.noise < best.base.noise;
        Candidate& worse = better ? best : *next;
        rejected.push_back(rejection(worse.task.sizes.front().graph, worse.base));
        if (!better)
            continue;
        // The full size is the same for all.
        next->task.full = std::move(best.task.full);
        next->task.noFull = std::move(best.task.noFull);
        best = std::move(*next);
    }
    return {};
}

} // namespace

Result<CheckedTask> importChecked(const ImportPython& python, const TaskSource& source,
                                  const ImportOptions& options, OracleProcess& oracle)
{
    SPARSERL_TRY(auto best, importOnce(python, source, options, oracle));
    CheckedTask made;
    TaskRecord& record = made.record;
    SPARSERL_CHECK(improve(python, source, options, oracle, best, record.rejected));
    made.task = std::move(best.task);
    std::vector<ImportedSize> kept;
    for (ImportedSize& size : made.task.sizes) {
        const bool base = kept.empty();
        OracleReport report = best.base;
        if (!base) {
            SPARSERL_TRY(report, examineSize(oracle, size));
        }
        if (!base && isRounding(report) && !isRounding(best.base)) {
            record.rejected.push_back(rejection(size.graph, report));
            continue;
        }
        record.sizes.push_back(sizeRecord(size.graph));
        if (record.flags.empty()) // Of the base size, or of the first that has any.
            record.flags = flagsOf(report);
        record.sizes.back().report = std::move(report);
        kept.push_back(std::move(size));
    }
    made.task.sizes = std::move(kept);
    if (made.task.full)
        record.sizes.push_back(sizeRecord(made.task.full->graph));
    record.name = source.name;
    record.mode = options.mode;
    record.torch = made.task.torch;
    record.noFull = made.task.noFull;
    record.unreproduced = std::move(best.unreproduced);
    return made;
}

} // namespace sparserl
