// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "training/sampling/generation.h"
#include "training/sampling/rollout.h"

#include <algorithm>
#include <utility>

namespace sparserl {

Result<DrawnRollout> writtenRollout(StageContext& context, const ProgramWriter& writer,
                                    RolloutRequest request)
{
    DrawnRollout result;
    Rollout& rollout = result.rollout;
    rollout.onPolicy = false;
    const auto all = static_cast<double>(std::max<std::size_t>(request.matrices.size(), 1));
    const Stopwatch sampling;
    for (std::size_t m = 0; m < request.matrices.size(); ++m) {
        const StageTarget* target = request.matrices[m];
        WritingEvents events;
        events.progress = [&](double part) {
            context.pulse(request.phase, 0.4 * (static_cast<double>(m) + part) / all);
        };
        ProgramRange range;
        range.count = static_cast<std::size_t>(request.samples);
        range.temperature = request.sampling.temperature;
        range.forTask = true;
        SPARSERL_TRY(const auto programs, writer.write(target->target, range, context.cancel(), events));
        if (context.cancel().cancelled())
            return fail(interruption());
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
