// SPDX-License-Identifier: Apache-2.0
#include "matrix/multiply.h"
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/usage.h"
#include "base/format.h"
#include "base/json.h"
#include "matrix/read.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace sparserl::cli {

namespace {

struct MultiplyArguments
{
    std::string file, x;
};

int runMultiply(const Context& context, const MultiplyArguments& options)
{
    const ReadOptions reading = readingOf(context, options.file);
    const auto source = matrixOf(options.file);
    if (!source) {
        return context.error(source.error());
    }
    // Only a file says where its values come from.
    auto read = source->isFile ? readMatrix(options.file, reading)
                               : source->load(reading).map([&source](Csr&& matrix) {
                                     MatrixFile file;
                                     file.matrix = std::move(matrix);
                                     file.source.seededValues = source->isGenerated;
                                     return file;
                                 });
    context.endProgress();
    if (!read) {
        return context.failed(read.error());
    }
    if (context.cancel.cancelled()) {
        return Interrupted;
    }
    const Csr& matrix = read->matrix;
    std::vector<double> x = harmonicVector(matrix.cols);
    if (!options.x.empty()) {
        auto given = readVector(options.x);
        if (!given) {
            return context.error(given.error());
        }
        if (given->size() != x.size()) {
            return context.error(
                {fmt::format("the vector has {} elements, the matrix {} columns", given->size(), matrix.cols),
                 options.x, 0, "Give one number per column"});
        }
        x = std::move(*given);
    }
    const std::vector<double> y = multiply(matrix, x);
    double sum = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        sum += y[i];
        weighted += static_cast<double>(i) * y[i];
    }
    const char* values = read->source.seededValues               ? "seeded"
                         : source->isFile || source->isGenerated ? "file"
                                                                 : "project";
    context.emit({{"file", options.file},
                  {"sum_y", sum},
                  {"sum_iy", weighted},
                  {"values", values},
                  {"warnings", toJson(read->source.warnings)}});
    if (!context.json) {
        context.print(fmt::format("sum of y_i: {}\nsum of i y_i, i from 0: {}\n", formatNumber(sum),
                                  formatNumber(weighted)));
        if (read->source.seededValues) {
            context.print("The values were seeded from the pattern.\n");
        }
    }
    return Done;
}

} // namespace

Body add_multiply(CLI::App& app, Context& context)
{
    auto options = std::make_shared<MultiplyArguments>();
    CLI::App* command = app.add_subcommand(
        "multiply",
        "Multiply y = A x in double precision and print sums of y, to check how a matrix was read.");
    takesNames(command->add_option("MATRIX,--matrix", options->file, oneMatrixHelp), "matrices")->required();
    command->add_option("--x", options->x,
                        "A text file with x, one number per column; x_j = 1 / (1 + j) if not given");
    return [options, &context] { return runMultiply(context, *options); };
}

} // namespace sparserl::cli
