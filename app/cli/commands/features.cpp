// SPDX-License-Identifier: Apache-2.0
#include "matrix/features.h"
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/usage.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace sparserl::cli {

namespace {

struct FeaturesArguments
{
    std::vector<std::string> files;
};

/// Printed in percent, as the window shows it.
bool isShare(const FeatureSpec& spec)
{
    return std::string_view(spec.unit) == "share";
}

std::string valueText(const FeatureSpec& spec, const MatrixFeatures& features)
{
    if (!spec.known(features))
        return "-";
    const double value = spec.value(features);
    if (isShare(spec))
        return fmt::format("{:.3g}", 100 * value);
    return spec.integer ? formatGrouped(static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value);
}

int runFeatures(const Context& context, const FeaturesArguments& options)
{
    int status = Done;
    const auto named = matricesOf(options.files);
    if (!named)
        return context.error(named.error());
    std::vector<MatrixWarning> warnings;
    const auto read = [&](const NamedMatrix& source) {
        const std::string& file = source.word;
        warnings.clear();
        ReadOptions reading = readingOf(context, file);
        reading.onWarning = [&](const MatrixWarning& warning) {
            warn(context, file, warning);
            warnings.push_back(warning);
        };
        return source.load(reading);
    };
    const auto say = [&](const NamedMatrix& source, const Csr& matrix) {
        const std::string& file = source.word;
        const MatrixFeatures features = computeFeatures(matrix);
        nlohmann::json object = toJson(features);
        object["file"] = file;
        object["structure"] = structureOf(features);
        object["warnings"] = toJson(warnings);
        context.emit(object);
        if (!context.json) {
            context.print(printableLine(file) + "\n");
            context.print(fmt::format("  {:<28}{:>17}\n", "Structure", structureOf(features)));
            for (const auto& spec : featureSpecs()) {
                if (spec.key != "dense_cols") { // Belongs to a task, not to a file.
                    context.print(fmt::format("  {:<28}{:>17} {}\n", spec.name, valueText(spec, features),
                                              isShare(spec) ? "%" : spec.unit));
                }
            }
        }
        return true;
    };
    readEach(context, *named, status, read, say);
    return status;
}

} // namespace

Body add_features(CLI::App& app, Context& context)
{
    auto options = std::make_shared<FeaturesArguments>();
    CLI::App* command =
        app.add_subcommand("features", "Print the features that decide which kernel suits a matrix.");
    takesNames(command->add_option("MATRIX,--matrix", options->files, matrixHelp), "matrices")->required();
    return [options, &context] { return runFeatures(context, *options); };
}

} // namespace sparserl::cli
