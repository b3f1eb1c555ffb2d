// SPDX-License-Identifier: Apache-2.0
#include "app/cli/export_program.h"

#include "base/printable.h"
#include "base/time.h"
#include "evaluation/judge/make_judge.h"
#include "export/gated_ptx.h"
#include "export/run_export.h"
#include "kernel/bundle.h"
#include "kernel/bundle_times.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {

namespace {

/// The verdict of a program file on the simulated device, which must be `correct`.
Result<VerdictRecord> verify(const Context& context, const std::string& text,
                             const std::shared_ptr<const Csr>& matrix, const TargetId& target)
{
    JudgeOptions judging;
    judging.runnerPath = siblingProgram(context, "sparserl-runner");
    SPARSERL_TRY(auto judge, makeSimulatorJudge(judging));
    JudgeRequest request;
    request.program = text;
    request.target = {target, matrix};
    SPARSERL_TRY(const auto records, judge->judge({request}, context.cancel));
    if (!records.at(0).correct())
        return fail(fmt::format("the program is not correct on {} ({}): {}", target.name,
                                nameOf(records.at(0).verdict), records.at(0).message),
                    "correct it, or pass --unverified to export it as it is");
    return records.at(0);
}

} // namespace

int reportExport(const Context& context, const std::filesystem::path& directory,
                 const VerdictRecord* evidence)
{
    nlohmann::json object = {{"path", directory.string()}};
    std::string text = fmt::format("exported to {}", directory.string());
    if (evidence) {
        object["program"] = evidence->programHash;
        object["matrix"] = evidence->target.name;
        object["speedup"] = evidence->speedup();
        object["device"] = evidence->device;
        text +=
            fmt::format(": program {} for {}, {:.2f}x {} on the {}", evidence->programHash.substr(0, 12),
                        evidence->target.name, evidence->speedup(), evidence->baselineName, evidence->device);
        const BundleTimes times = bundleTimes(toJson(*evidence));
        object["times"] = toJson(times);
        if (times.setupProducts() > 0)
            text += fmt::format("; the set-up takes the time of {:.0f} products", times.setupProducts());
        if (times.source == BundleTimes::Source::Simulated)
            text += "; all times are simulated";
    } else {
        text += ": it is unverified, as no judge has seen the program";
    }
    if (context.json)
        context.emit(object);
    else
        context.print(printableLine(text)); // names of a run's journal must not make lines of their own
    return Done;
}

int exportProgram(const Context& context, const ProgramExport& request)
{
    auto program = parseProgram(request.text);
    if (!program)
        return context.error({program.error().reason, request.file, program.error().line, {}});
    if (program->plan.task == Task::Operator)
        return context.error({"programs for operators cannot be exported yet", request.file, 0, {}});
    BundleRequest bundle;
    bundle.program = std::move(*program);
    bundle.target.variant = TargetVariant::of(
        bundle.program.plan.task, request.columns > 0 ? request.columns : 8, bundle.program.plan.type);
    bundle.matrix = request.matrix.get();
    bundle.target.contents = digest(*request.matrix);
    if (bundle.target.variant.type != ElementType::F32)
        bundle.target.values = doublesDigest(*request.matrix);
    bundle.target.name = request.matrixName;
    bundle.created = unixSeconds();
    bundle.licence = request.licence;
    bundle.matrixAttribution = request.attribution;
    std::optional<VerdictRecord> evidence;
    if (!request.unverified) {
        auto verdict = verify(context, request.text, request.matrix, bundle.target);
        if (!verdict)
            return context.failed(verdict.error());
        evidence = std::move(*verdict);
        bundle.evidence = toJson(*evidence);
    }
    auto code = compileForBundle(bundle.program, siblingProgram(context, "sparserl-runner"));
    if (!code)
        return context.failed(code.error());
    if (evidence) {
        if (auto same = checkVerified(*code, evidence->ptxHash); !same)
            return context.error(same.error());
    }
    bundle.code = std::move(*code);
    if (context.cancel.cancelled())
        return Interrupted;
    if (auto written = writeBundle(request.out, bundle); !written)
        return context.error(written.error());
    return reportExport(context, request.out, evidence ? &*evidence : nullptr);
}

} // namespace sparserl::cli
