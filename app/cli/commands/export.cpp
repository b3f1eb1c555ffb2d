// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/export_program.h"
#include "app/cli/matrix_words.h"
#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/new_place.h"
#include "base/source_name.h"
#include "export/licence_name.h"
#include "export/run_export.h"
#include "kernel/plan.h"
#include "matrix/read.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace sparserl::cli {

namespace {

struct ExportArguments
{
    std::string run, program, matrix, out, attribution;
    std::string licence = "Apache-2.0";
    bool unverified = false;
    std::int64_t columns = 0;
};

/// "cage8" for ".../cage8.mtx.gz"
std::string matrixNameOf(const std::filesystem::path& file)
{
    std::filesystem::path name = file.filename();
    while (name.has_extension() && name.has_stem())
        name = name.stem();
    return displayName(name.string());
}

int exportFile(const Context& context, const ExportArguments& options)
{
    if (options.matrix.empty() || options.out.empty())
        return context.wrongUsage(
            {"a program file needs --matrix FILE and --out DIR", {}, 0, "or name a run with --run"});
    if (auto free = checkNewFolder(options.out); !free)
        return context.error(free.error());
    const auto text = readFile(options.program, 1 << 20);
    if (!text)
        return context.error(text.error());
    const auto source = matrixOf(options.matrix);
    ReadOptions reading = readingOf(context, options.matrix);
    const auto program = parseProgram(*text);
    reading.doubles = program && program->plan.type != ElementType::F32;
    auto read = source ? source->load(reading) : Result<Csr>(fail(source.error()));
    if (!read)
        return context.failed(read.error());
    ProgramExport request;
    request.file = options.program;
    request.text = *text;
    request.matrix = std::make_shared<const Csr>(std::move(*read));
    request.matrixName = source->isFile ? matrixNameOf(options.matrix) : source->name;
    request.out = options.out;
    request.licence = options.licence;
    request.attribution = options.attribution;
    request.columns = options.columns;
    request.unverified = options.unverified;
    return exportProgram(context, request);
}

int runExport(const Context& context, const ExportArguments& options)
{
    if (const auto known = checkLicence(options.licence); !known)
        return context.wrongUsage(known.error());
    context.keeps("nothing was written");
    if (options.run.empty()) {
        if (options.program.empty())
            return context.wrongUsage(
                {"nothing to export", {}, 0, "pass --run DIR, or --program FILE with --matrix FILE"});
        return exportFile(context, options);
    }
    const auto outcome =
        exportFromRun({options.run, options.program, options.matrix, options.columns, options.out,
                       options.licence, siblingProgram(context, "sparserl-runner")});
    if (!outcome)
        return context.error(outcome.error());
    return reportExport(context, outcome->directory, &outcome->evidence);
}

} // namespace

Body add_export(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ExportArguments>();
    CLI::App* command =
        app.add_subcommand("export", "Write a stand-alone bundle of a kernel: its PTX, host code in "
                                     "C++, self-test, PyTorch, CuPy and SciPy bindings, manifest");
    takesRun(command->add_option(
        "--run", options->run,
        "Run whose program is exported, by name or folder; or a project's folder: its programs "
        "that were edited by hand or generated"));
    command->add_option(
        "--program", options->program,
        "With --run: a program's hash (default: the run's fastest correct one); else a program file");
    takesNames(command->add_option(
                   "MATRIX,--matrix", options->matrix,
                   "With --run: name or digest of a matrix; else a matrix file, PACK#NAME or a generator"),
               "matrices");
    command->add_option("--out", options->out, "New folder (default with --run: exports/ of its project)");
    command
        ->add_option("--columns", options->columns,
                     "Dense columns for SpMM: for a program file (default 8), or one of those with which the "
                     "run judged it (default: the best)")
        ->check(CLI::Range(2, 1024));
    command
        ->add_option("--licence", options->licence,
                     "SPDX identifier of the kernel's licence, or LicenseRef-NAME")
        ->capture_default_str();
    command->add_option("--attribution", options->attribution,
                        "With a program file: author and licence of the matrix");
    command->add_flag("--unverified", options->unverified,
                      "Export a program file without judging it first (it must still pass the gate)");
    return [options, &context] { return runExport(context, *options); };
}

} // namespace sparserl::cli
