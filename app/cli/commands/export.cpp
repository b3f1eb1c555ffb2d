// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "base/files.h"
#include "base/source_name.h"
#include "base/time.h"
#include "evaluation/judge/make_judge.h"
#include "export/gated_ptx.h"
#include "export/run_export.h"
#include "kernel/bundle.h"
#include "matrix/read.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct ExportArguments
{
    std::string run, program, matrix, out, attribution;
    std::string licence = "Apache-2.0";
    bool unverified = false;
    std::int64_t columns = 0;
};

int wrongUsage(const Context& context, const Error& error)
{
    context.error(error);
    return WrongUsage;
}

/// "cage8" for ".../cage8.mtx.gz"
std::string matrixNameOf(const std::filesystem::path& file)
{
    std::filesystem::path name = file.filename();
    while (name.has_extension() && name.has_stem())
        name = name.stem();
    return displayName(name.string());
}

int report(const Context& context, const std::filesystem::path& directory, const VerdictRecord* evidence)
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
    }
    if (context.json)
        context.emit(object);
    else
        context.print(text);
    return Done;
}

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

int exportFile(const Context& context, const ExportArguments& options)
{
    if (options.matrix.empty() || options.out.empty())
        return wrongUsage(
            context, {"a program file needs --matrix FILE and --out DIR", {}, 0, "or name a run with --run"});
    const auto text = readFile(options.program, 1 << 20);
    if (!text)
        return context.error(text.error());
    auto program = parseProgram(*text);
    if (!program)
        return context.error({program.error().reason, options.program, program.error().line, {}});
    const auto source = matrixOf(options.matrix);
    auto read = source ? source->load(readingOf(context, options.matrix)) : Result<Csr>(fail(source.error()));
    if (!read)
        return context.failed(read.error());
    const auto matrix = std::make_shared<const Csr>(std::move(*read));

    BundleRequest bundle;
    bundle.program = std::move(*program);
    bundle.target.variant =
        TargetVariant::of(bundle.program.plan.task, options.columns > 0 ? options.columns : 8);
    bundle.matrix = matrix.get();
    bundle.target.contents = digest(*matrix);
    bundle.target.name = source->isFile ? matrixNameOf(options.matrix) : source->name;
    bundle.created = unixSeconds();
    bundle.licence = options.licence;
    bundle.matrixAttribution = options.attribution;
    std::optional<VerdictRecord> evidence;
    if (!options.unverified) {
        auto verdict = verify(context, *text, matrix, bundle.target);
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
        return Interrupted; // nothing was written
    if (auto written = writeBundle(options.out, bundle); !written)
        return context.error(written.error());
    return report(context, options.out, evidence ? &*evidence : nullptr);
}

int runExport(const Context& context, const ExportArguments& options)
{
    if (options.run.empty()) {
        if (options.program.empty())
            return wrongUsage(
                context,
                {"nothing to export", {}, 0, "pass --run DIR, or --program FILE with --matrix FILE"});
        return exportFile(context, options);
    }
    const auto outcome =
        exportFromRun({options.run, options.program, options.matrix, options.columns, options.out,
                       options.licence, siblingProgram(context, "sparserl-runner")});
    if (!outcome)
        return context.error(outcome.error());
    return report(context, outcome->directory, &outcome->evidence);
}

} // namespace

Body add_export(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ExportArguments>();
    CLI::App* command =
        app.add_subcommand("export", "Write a stand-alone bundle of a kernel: its PTX, host code in "
                                     "C++, self-test, PyTorch and CuPy bindings, manifest");
    command->add_option("--run", options->run, "Run directory whose program is exported");
    command->add_option(
        "--program", options->program,
        "With --run: a program's hash (default: the run's fastest correct one); else a program file");
    command->add_option(
        "--matrix", options->matrix,
        "With --run: name or digest of a matrix; else a matrix file, PACK#NAME or a generator");
    command->add_option("--out", options->out, "New folder (default with --run: exports/ of its project)");
    command
        ->add_option("--columns", options->columns,
                     "Dense columns for SpMM: for a program file (default 8), or one of those with which the "
                     "run judged it (default: the best)")
        ->check(CLI::Range(2, 1024));
    command->add_option("--licence", options->licence, "SPDX identifier for the kernel")
        ->capture_default_str();
    command->add_option("--attribution", options->attribution,
                        "With a program file: author and licence of the matrix");
    command->add_flag("--unverified", options->unverified,
                      "Export a program file without judging it first (it must still pass the gate)");
    return [options, &context] { return runExport(context, *options); };
}

} // namespace sparserl::cli
