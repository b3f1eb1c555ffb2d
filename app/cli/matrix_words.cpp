// SPDX-License-Identifier: Apache-2.0
#include "app/cli/matrix_words.h"

#include "app/cli/name_list.h"
#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/source_name.h"

#include <cctype>
#include <filesystem>
#include <fmt/format.h>

namespace sparserl::cli {

namespace {

/// A matrix of the project that holds the current folder.
ListedMatrix ofProject(const Project& project, const MatrixEntry& entry)
{
    ListedMatrix listed;
    listed.name = entry.name;
    listed.structure = entry.matrixClass;
    listed.load = [project, entry](const ReadOptions& reading) -> Result<Csr> {
        Project own = project; // load() remembers what it found
        Progress progress;
        if (reading.progress)
            progress = reading.progress;
        SPARSERL_TRY(const auto loaded, own.load(entry, reading.cancel, progress, reading.doubles));
        if (reading.onWarning)
            for (const MatrixWarning& warning : loaded.warnings)
                reading.onWarning(warning);
        return Csr(*loaded.matrix);
    };
    return listed;
}

} // namespace

Result<std::vector<ListedMatrix>> listMatricesHere(const std::string& word)
{
    const auto look = glance(word);
    if (word.ends_with(".cu") && look.regular)
        return failAt(word, 0, "this is a program, where a matrix is expected",
                      "Give programs before --matrix, or write -- between them: --matrix MATRIX -- PROGRAM");
    // What the word says by itself is not a project's to change: its author may call a matrix anything.
    const MatrixWord kind = matrixWord(word);
    if (kind != MatrixWord::Kind && kind != MatrixWord::Other)
        return listMatrices(word);
    SPARSERL_TRY(const auto project, projectHere());
    // Before kinds: a matrix that was generated is called as its generator unless it got a name.
    if (const MatrixEntry* entry = project ? project->matrix(word) : nullptr)
        return std::vector<ListedMatrix>{ofProject(*project, *entry)};
    auto listed = listMatrices(word);
    if (listed || !project || look.exists)
        return listed;
    std::vector<std::string> names;
    for (const MatrixEntry& entry : project->matrices())
        names.push_back(entry.name);
    Error error = listed.error();
    error.remedy = nearRemedy(word, names, error.remedy);
    return fail(std::move(error));
}

Result<std::vector<NamedMatrix>> matricesOf(const std::string& word)
{
    SPARSERL_TRY(auto listed, listMatricesHere(word));
    std::vector<NamedMatrix> matrices;
    for (ListedMatrix& matrix : listed) {
        NamedMatrix named;
        named.isGenerated = matrix.generated;
        named.isFile = !matrix.packed && matrixWord(word) == MatrixWord::File;
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

AddMatrixOptions addingOf(const ReadOptions& reading)
{
    AddMatrixOptions adding;
    adding.cancel = reading.cancel;
    adding.progress = reading.progress;
    adding.onWarning = reading.onWarning;
    return adding;
}

void warn(const Context& context, const std::string& file, const MatrixWarning& warning)
{
    context.note("warning: " + warning.sentence(file));
}

std::vector<std::string> matrixNames(const std::vector<std::string>& words)
{
    const auto project = projectHere();
    return splitNames(words, [&](const std::string& word) {
        return glance(word).exists || (project && *project && (*project)->matrix(word) != nullptr);
    });
}

namespace {

template <typename Matrix>
Result<std::vector<Matrix>> ofAll(const std::vector<std::string>& words,
                                  Result<std::vector<Matrix>> (*ofOne)(const std::string& word))
{
    std::vector<Matrix> all;
    std::vector<Error> wrong;
    for (const std::string& word : matrixNames(words)) {
        auto some = ofOne(word);
        if (some)
            std::move(some->begin(), some->end(), std::back_inserter(all));
        else
            wrong.push_back(std::move(some.error()));
    }
    if (!wrong.empty())
        return fail(allOf(wrong));
    return all;
}

} // namespace

Result<std::vector<ListedMatrix>> listMatricesHere(const std::vector<std::string>& words)
{
    return ofAll<ListedMatrix>(words, listMatricesHere);
}

Result<std::vector<NamedMatrix>> matricesOf(const std::vector<std::string>& words)
{
    return ofAll<NamedMatrix>(words, matricesOf);
}

std::string wordForFile(const std::string& matrix)
{
    std::string name = copyName(std::filesystem::path(matrix).filename().string());
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.')
            c = '_';
    return name;
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
