// SPDX-License-Identifier: Apache-2.0
#include "app/cli/matrix_words.h"

#include "base/source_name.h"

#include <filesystem>
#include <fmt/format.h>

namespace sparserl::cli {

Result<std::vector<NamedMatrix>> matricesOf(const std::string& word)
{
    SPARSERL_TRY(auto listed, listMatrices(word));
    std::vector<NamedMatrix> matrices;
    for (ListedMatrix& matrix : listed) {
        NamedMatrix named;
        named.isFile = !matrix.generated && !matrix.packed;
        named.name =
            named.isFile ? displayName(std::filesystem::path(word).filename().string()) : matrix.name;
        named.word = word;
        if (matrix.packed && !word.ends_with("#" + matrix.name)) {
            named.word += "#" + matrix.name;
        }
        named.load = std::move(matrix.load);
        matrices.push_back(std::move(named));
    }
    return matrices;
}

ReadOptions readingOf(const Context& context, const std::string& word)
{
    ReadOptions reading;
    reading.cancel = context.cancel;
    reading.progress = [&context, word](double fraction, std::string_view) {
        context.progress(fraction, "reading " + word);
    };
    reading.onWarning = [&context, word](const MatrixWarning& warning) { warn(context, word, warning); };
    return reading;
}

void warn(const Context& context, const std::string& file, const MatrixWarning& warning)
{
    context.note("warning: " + warning.sentence(file));
}

std::vector<NamedMatrix> matricesOf(const Context& context, const std::vector<std::string>& words,
                                    int& status)
{
    std::vector<NamedMatrix> named;
    for (const std::string& word : words) {
        auto matrices = matricesOf(word);
        if (!matrices) {
            status = context.error(matrices.error());
            continue;
        }
        std::move(matrices->begin(), matrices->end(), std::back_inserter(named));
    }
    return named;
}

Result<NamedMatrix> matrixOf(const std::string& word)
{
    SPARSERL_TRY(auto matrices, matricesOf(word));
    if (matrices.size() != 1) {
        return failAt(word, 0, fmt::format("the pack has {} matrices, but one is needed", matrices.size()),
                      "Name one as PACK#NAME; `sparserl pack --list` names them");
    }
    return std::move(matrices.front());
}

} // namespace sparserl::cli
