// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "base/beneath.h"
#include "base/format.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/time.h"
#include "matrix/cache.h"
#include "matrix/files_below.h"
#include "matrix/generate.h"
#include "matrix/read.h"
#include "project/files/project.h"
#include "verdict/names.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl::cli {

namespace {

struct ImportArguments
{
    std::vector<std::string> files, generators;
    std::string project, cache;
    std::string split = split::train, matrixClass, attribution;
    bool reference = false;
};

/// What became of one file.
struct Imported
{
    std::string digest;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::vector<MatrixWarning> warnings;
};

Imported describe(const Csr& matrix, std::string digest, std::vector<MatrixWarning> warnings)
{
    return {std::move(digest), matrix.rows, matrix.cols, matrix.nnz(), std::move(warnings)};
}

/// Without a project: reads and validates; stores only where a cache folder was given.
Result<Imported> readOnly(const std::string& source, bool generated, const ImportArguments& options,
                          ReadOptions reading)
{
    reading.doubles = !options.cache.empty();
    auto file = generated ? generate(source).map([](Csr&& matrix) {
        return MatrixFile{std::move(matrix), {}};
    })
                          : readMatrix(source, reading);
    if (!file) {
        return fail(file.error());
    }
    if (options.cache.empty()) {
        return describe(file->matrix, digest(file->matrix), std::move(file->source.warnings));
    }
    SPARSERL_TRY(auto stored, MatrixCache(options.cache).store(file->matrix));
    return describe(file->matrix, stored, std::move(file->source.warnings));
}

Result<Imported> intoProject(Project& project, const std::string& source, bool generated,
                             const ImportArguments& options, const ReadOptions& reading)
{
    AddMatrixOptions adding;
    adding.split = options.split;
    adding.matrixClass = options.matrixClass;
    adding.attribution = options.attribution;
    adding.copy = !options.reference;
    adding.cancel = reading.cancel;
    adding.progress = reading.progress;
    SPARSERL_TRY(auto entry,
                 generated ? project.addGenerated(source, adding) : project.addMatrix(source, adding));
    SPARSERL_TRY(auto loaded, project.load(entry, reading.cancel));
    return describe(*loaded.matrix, loaded.digest, std::move(loaded.warnings));
}

/// The files to import of a folder.
struct FolderFiles
{
    std::vector<std::string> files;
    bool isWhole = true; ///< Everything below the folder could be looked at.
};

/// Says what is passed over, or why nothing is left; one sentence.
Result<FolderFiles> filesBelow(const Context& context, const std::string& folder)
{
    SPARSERL_TRY(const auto below, matrixFilesBelow(folder, context.cancel));
    const std::string passedOver = passedOverText(below.passedOver, folder);
    if (!passedOver.empty() && !below.files.empty()) {
        context.note("warning: " + printableLine(folder) + ": " + passedOver);
    }
    FolderFiles found;
    auto passed = nlohmann::json::array();
    for (const PassedOver& one : below.passedOver) {
        found.isWhole = found.isWhole && !one.failed;
        passed.push_back({{"file", one.path.string()}, {"reason", one.reason}});
    }
    if (!passed.empty()) {
        context.emit({{"folder", folder}, {"passed_over", std::move(passed)}});
    }
    for (const auto& file : below.files) {
        found.files.push_back(file.string());
    }
    if (found.files.empty() && !context.cancel.cancelled()) {
        if (!passedOver.empty()) {
            return failAt(folder, 0, "nothing is left to import: " + passedOver);
        }
        return failAt(
            folder, 0,
            "neither this folder nor its subfolders contain a file with the extension of a matrix file",
            "Name the files, whatever they are called");
    }
    return found;
}

int runImport(const Context& context, const ImportArguments& options)
{
    if (options.files.empty() && options.generators.empty()) {
        return context.wrongUsage(
            {"nothing to import", {}, 0, "Name files, or matrices to generate with --generate"});
    }
    std::optional<Project> project;
    if (!options.project.empty()) {
        auto opened = Project::open(options.project);
        if (!opened) {
            return context.error(opened.error());
        }
        project = std::move(*opened);
    }
    int status = Done;
    std::int64_t taken = 0;
    if (project)
        context.keeps("no matrix was imported");
    const auto take = [&](const std::string& source, bool generated) {
        ReadOptions reading = readingOf(context, source);
        reading.onWarning = {}; // said below, with the matrix
        const double start = monotonicSeconds();
        const auto imported = project ? intoProject(*project, source, generated, options, reading)
                                      : readOnly(source, generated, options, reading);
        const double seconds = monotonicSeconds() - start;
        context.endProgress();
        if (!imported) {
            Error error = imported.error();
            if (error.file.empty() && !isInterruption(error)) {
                error.file = source;
            }
            status = context.failed(error);
            return;
        }
        for (const MatrixWarning& warning : imported->warnings) {
            warn(context, source, warning);
        }
        ++taken;
        if (project)
            context.keeps(formatCounted(taken, "matrix is", "matrices are") + " in the project");
        context.emit({{"file", source},
                      {"digest", imported->digest},
                      {"rows", imported->rows},
                      {"cols", imported->cols},
                      {"nnz", imported->nnz},
                      {"warnings", toJson(imported->warnings)},
                      {"seconds", seconds}});
        if (!context.json) {
            context.print(fmt::format("{}: {} x {}, {}, {} ({})\n", printableLine(source), imported->rows,
                                      imported->cols, formatCounted(imported->nnz, "non-zero"),
                                      imported->digest.substr(0, 12), formatDuration(seconds)));
        }
    };
    for (const std::string& name : options.files) {
        std::vector<std::string> files{name};
        if (glance(name).folder) {
            auto below = filesBelow(context, name);
            if (!below) {
                status = context.failed(below.error());
                continue;
            }
            files = std::move(below->files);
            status = below->isWhole ? status : Failed;
        }
        for (const std::string& file : files) {
            if (context.cancel.cancelled()) {
                return Interrupted;
            }
            // A mistyped generator is answered as one.
            take(file, !glance(file).exists && hasGeneratorForm(file));
        }
        if (context.cancel.cancelled()) {
            return Interrupted;
        }
    }
    for (const std::string& generator : options.generators) {
        take(generator, true);
        if (context.cancel.cancelled()) {
            return Interrupted;
        }
    }
    return status;
}

} // namespace

Body add_import(CLI::App& app, Context& context)
{
    auto options = std::make_shared<ImportArguments>();
    CLI::App* command = app.add_subcommand(
        "import",
        "Read and check matrices; with --project, add them to its library. One bad file does not stop the "
        "others.");
    command->add_option("FILE", options->files,
                        "Matrix Market, .smtx, .npz, .npy, PETSc or Harwell-Boeing files: plain, gzipped, or "
                        "in a .tar.gz or .zip; for a folder, every file with such a name is read; "
                        "generators also work");
    command
        ->add_option("--generate", options->generators, "A matrix to generate, such as \"stencil2d(n=64)\"")
        ->allow_extra_args(false);
    command->add_option("--project", options->project, "The project to add them to");
    command->add_option("--cache", options->cache,
                        "Without --project: folder for the binary form and the pyramid");
    command->add_option("--split", options->split, "Split of the new matrices")
        ->check(CLI::IsMember({split::train, split::heldOut}))
        ->capture_default_str();
    command->add_option("--class", options->matrixClass, "Class of the new matrices, for filters");
    command->add_option("--attribution", options->attribution, "Author and licence of the new matrices");
    command->add_flag("--reference", options->reference, "Use the files in place instead of copying them");
    return [options, &context] { return runImport(context, *options); };
}

} // namespace sparserl::cli
