// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "training/sampling/generation.h"
#include "training/sampling/kept_answers.h"
#include "training/sampling/rollout.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

/// The programs of a matrix, of which the writer is asked for those that are not known.
Result<std::vector<GeneratedProgram>> programsOf(StageContext& context, const ProgramWriter& writer,
                                                 KeptAnswers& kept, const RolloutRequest& request,
                                                 const Target& target,
                                                 const std::function<void(double part)>& progress)
{
    const auto all = static_cast<std::size_t>(request.samples);
    const std::string question =
        fmt::format("{} {} {}", target.id.key(), request.sampling.temperature, request.seed);
    std::vector<GeneratedProgram> programs(all);
    for (std::size_t first = 0; first < all; ++first) {
        std::size_t end = first;
        while (end < all && kept.find(question, end) == nullptr)
            ++end;
        if (end > first) {
            Status keeps;
            WritingEvents events;
            events.progress = [&](double part) {
                progress((static_cast<double>(first) + part * static_cast<double>(end - first)) /
                         static_cast<double>(all));
            };
            events.onProgram = [&](std::size_t i, const GeneratedProgram& program) {
                if (keeps)
                    keeps = kept.keep(question, first + i, program);
            };
            ProgramRange range;
            range.first = first;
            range.count = end - first;
            range.temperature = request.sampling.temperature;
            range.forTask = true;
            SPARSERL_TRY(auto written, writer.write(target, range, context.cancel(), events));
            if (context.cancel().cancelled())
                return fail(interruption());
            SPARSERL_CHECK(keeps);
            std::move(written.begin(), written.end(), programs.begin() + static_cast<std::ptrdiff_t>(first));
        }
        if (end < all)
            programs[end] = *kept.find(question, end);
        first = end;
    }
    return programs;
}

} // namespace

Result<DrawnRollout> writtenRollout(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                                    RolloutRequest request)
{
    DrawnRollout result;
    Rollout& rollout = result.rollout;
    rollout.onPolicy = false;
    const auto all = static_cast<double>(std::max<std::size_t>(request.matrices.size(), 1));
    const Stopwatch sampling;
    for (std::size_t m = 0; m < request.matrices.size(); ++m) {
        const StageTarget* target = request.matrices[m];
        const auto progress = [&](double part) {
            context.pulse(request.phase, 0.4 * (static_cast<double>(m) + part) / all);
        };
        SPARSERL_TRY(const auto programs,
                     programsOf(context, writer, kept, request, target->target, progress));
        rollout.inputs.emplace_back();
        for (const GeneratedProgram& program : programs) {
            RolloutItem item;
            item.target = target;
            item.input = static_cast<int>(m);
            item.text = program.text;
            item.sample.tokens.resize(program.tokens); // Their number is known.
            item.sample.finished = program.finished;
            item.sample.stopped = !program.stopReason.empty();
            item.sample.stopReason = program.stopReason;
            result.requests.push_back({program.text, target, item.sample.stopped, program.stopReason});
            rollout.items.push_back(std::move(item));
        }
    }
    rollout.samplingSeconds = sampling.seconds();
    result.request = std::move(request);
    return result;
}

} // namespace sparserl
