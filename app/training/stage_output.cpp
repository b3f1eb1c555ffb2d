// SPDX-License-Identifier: Apache-2.0
#include "app/training/stage_output.h"

#include "app/cli/signals.h"
#include "base/shell.h"
#include "project/run/metrics.h"
#include "training/work/stage_setup.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct Column
{
    MetricId name;
    const char* label;
    double scale;
    const char* unit;
};
/// The figures worth a line in a terminal, in this order, where a metric event has them.
constexpr Column columns[] = {
    {metric::loss, "loss", 1, ""},
    {metric::reward, "reward", 1, ""},
    {metric::compileRate, "compiled", 100, " %"},
    {metric::correctRate, "correct", 100, " %"},
    {metric::speedupGeomean, "speed-up", 1, ""},
    // Per token, under the names that the window's charts have.
    {metric::klSftK1, "KL to reference", 1, ""},
    {metric::ppoKl, "KL of update", 1, ""},
    {metric::updateKl, "KL of last update", 1, ""},
    {metric::entropy, "entropy", 1, ""},
    {metric::valueLoss, "value loss", 1, ""},
    {MetricId{"pass@1"}, "pass@1", 100, " %"},
    {metric::searchJudged, "judged", 1, ""},
    {metric::searchSpeedup, "speed-up", 1, ""},
    {metric::searchGain, "over bench", 1, ""},
};

std::string metricLine(std::int64_t step, const MetricEvent& event)
{
    std::string line = fmt::format("{:>5} {:<8}", step, event.split);
    for (const auto& column : columns) {
        if (const auto found = event.values.find(column.name); found != event.values.end())
            line += fmt::format("  {} {:.4g}{}", column.label, found->second * column.scale, column.unit);
    }
    return line;
}

} // namespace

void showEvent(const Context& context, std::int64_t step, const Event& event)
{
    const auto* log = std::get_if<LogEvent>(&event);
    if (context.quiet && (log == nullptr || log->level == "info"))
        return; // no progress; a warning is none
    if (const auto* measured = std::get_if<MetricEvent>(&event)) {
        if (measured->split == systemSplit)
            return; // none of these columns is of the machine
        // A step of supervised training takes a moment; a line for every tenth is enough.
        const bool step10 = !measured->values.contains(metric::learningRate) || step % 10 == 0 || step == 1;
        if (step10)
            context.print(metricLine(step, *measured));
    } else if (const auto* control = std::get_if<ControlEvent>(&event)) {
        context.print(fmt::format("{:>5} {} {} {} {} {}", step, control->command, control->key,
                                  control->value, control->outcome, control->message));
    } else if (log != nullptr) {
        context.print(log->level == "info" ? log->text : log->level + ": " + log->text);
    }
}

void emitEntry(const Context& context, const JournalEntry& entry)
{
    if (std::holds_alternative<MetricEvent>(entry.event) || std::holds_alternative<StateEvent>(entry.event))
        context.emit(toJson(entry));
}

int runInForeground(Context& context, RunDirectory& run, const std::shared_ptr<ProcessGroup>& processes)
{
    const auto progress = [&](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    const bool leads = processes->leads();
    context.savesOnSignal = true;
    auto setup = setUpStage(run, context.cancel, leads ? Progress(progress) : Progress(), processes);
    if (!setup) {
        processes->reportFailure(
            fmt::format("Process {} has failed: {}", processes->rank(), setup.error().sentence()));
        if (leads)
            noteFailedStart(run, setup.error());
        return context.failed(setup.error());
    }
    if (leads) {
        setup->environment.onSaving = [](bool saving) { noteSaving(saving); };
        setup->environment.onLock = [](const FileLock* lock) { noteLock(lock); };
        setup->environment.onEvent = [&](std::int64_t step, const Event& event) {
            showEvent(context, step, event);
        };
        setup->environment.onEntry = [&](const JournalEntry& entry) { emitEntry(context, entry); };
    }
    const auto outcome = runStage(run, setup->environment);
    context.endProgress();
    if (!outcome)
        return context.failed(outcome.error());
    if (!leads)
        return outcome->end == StageOutcome::End::Interrupted ? Interrupted : Done;
    switch (outcome->end) {
    case StageOutcome::End::Done:
        context.print(outcome->checkpoint.empty()
                          ? std::string("Done.")
                          : fmt::format("Done. The last checkpoint is {}", outcome->checkpoint.string()));
        return Done;
    case StageOutcome::End::Stopped:
        context.print(fmt::format("Stopped on request at step {}; {} resumes it", outcome->step,
                                  shellCommand("sparserl train --run {}", {run.path().string()})));
        return Done;
    case StageOutcome::End::Interrupted:
        context.print(fmt::format("Interrupted at step {}{}; {} resumes it", outcome->step,
                                  outcome->checkpoint.empty() ? ", before the first checkpoint" : "",
                                  shellCommand("sparserl train --run {}", {run.path().string()})));
        return Interrupted;
    }
    return Done;
}

} // namespace sparserl::cli
