// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_list.h"

#include "base/beneath.h"
#include "base/source_name.h"
#include "matrix/features.h"
#include "matrix/file_names.h"
#include "matrix/generate.h"
#include "matrix/pack.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

bool isPack(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> head{};
    return file.read(head.data(), head.size()) && std::string_view(head.data(), 8) == "SRLPACK1";
}

/// What PACK#NAME names; empty words where it is none.
std::pair<std::string, std::string> packAndName(const std::string& word)
{
    const auto hash = word.rfind('#');
    if (hash == std::string::npos || !glance(word.substr(0, hash)).regular)
        return {};
    return {word.substr(0, hash), word.substr(hash + 1)};
}

/// "/data/a.mtx", "~/a.mtx", "./a.mtx", "a/../b.mtx"; not "HB/bcsstk01", as collections name theirs.
bool isPathByForm(std::string_view name)
{
    if (name.starts_with('/') || name.starts_with("~/"))
        return true;
    for (const fs::path& part : fs::path(name))
        if (part == "." || part == "..")
            return true;
    return false;
}

/// "a/b/cant.mtx.gz" -> "cant"
std::string plainName(const fs::path& path)
{
    return displayName(withoutMatrixEndings(path.filename().string()));
}

ListedMatrix ofPack(const std::shared_ptr<const Pack>& pack, const PackEntry& entry)
{
    return {displayName(entry.name),
            entry.structure,
            entry.nnz,
            false,
            true,
            [pack, &entry](const ReadOptions& options) { return pack->load(entry, options.memory); }};
}

Result<std::vector<ListedMatrix>> listPack(const fs::path& path, const std::string& name)
{
    SPARSERL_TRY(auto opened, Pack::open(path));
    const auto pack = std::make_shared<const Pack>(std::move(opened));
    std::vector<ListedMatrix> out;
    for (const PackEntry& entry : pack->entries()) {
        if (name.empty() || entry.name == name)
            out.push_back(ofPack(pack, entry));
    }
    if (out.empty() && !name.empty())
        return fail(
            Error{"the pack has no matrix " + name, path.string(), 0, "`sparserl pack --list` names them"});
    return out;
}

/// A generator's parameters as the user has written them, without blanks: what equals a default stays.
std::string generatorName(const std::string& word, const GeneratorSpec& spec)
{
    if (word.find('(') == std::string::npos)
        return spec.text();
    std::string name;
    std::copy_if(word.begin(), word.end(), std::back_inserter(name),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    return name;
}

} // namespace

MatrixWord matrixWord(const std::string& word)
{
    const auto look = glance(word);
    if (look.exists && !look.folder)
        return MatrixWord::File;
    if (!look.exists && !packAndName(word).first.empty())
        return MatrixWord::InPack;
    const auto open = word.find('(');
    if (!isGeneratorKind(std::string_view(word).substr(0, open)))
        return MatrixWord::Other;
    return open == std::string::npos ? MatrixWord::Kind : MatrixWord::Generator;
}

std::string matrixNameFault(const std::string& name, std::string_view ownGenerator)
{
    constexpr std::size_t longest = 1024; // a file's name whose every byte is shown as \xNN
    if (name.size() > longest)
        return fmt::format("a name of {} bytes, where {} are the most", name.size(), longest);
    if (isPathByForm(name))
        return "a name that a command would take for a path";
    const auto open = name.find('(');
    if (open == std::string::npos || !isGeneratorKind(std::string_view(name).substr(0, open)))
        return {};
    const auto meant = parseGenerator(name), own = parseGenerator(ownGenerator);
    if (meant && own && meant->text() == own->text())
        return {};
    return "a name that a command would take for a generator's text";
}

Result<std::vector<ListedMatrix>> listMatrices(const std::string& word)
{
    switch (matrixWord(word)) {
    case MatrixWord::File: {
        if (!glance(word).regular)
            return fail(
                Error{"this is not a regular file", word, 0, "give a file that holds a matrix, or a pack"});
        if (isPack(word))
            return listPack(word, {});
        return std::vector<ListedMatrix>{
            {plainName(word), {}, -1, false, false, [word](const ReadOptions& options) -> Result<Csr> {
                 SPARSERL_TRY(auto read, readMatrix(word, options));
                 return std::move(read.matrix);
             }}};
    }
    case MatrixWord::InPack: {
        const auto [pack, name] = packAndName(word);
        return listPack(pack, name);
    }
    case MatrixWord::Generator:
    case MatrixWord::Kind: {
        SPARSERL_TRY(const auto spec, parseGenerator(word));
        return std::vector<ListedMatrix>{
            {generatorName(word, spec), {}, -1, true, false, [spec](const ReadOptions&) {
                 return generate(spec);
             }}};
    }
    case MatrixWord::Other:
        break;
    }
    if (glance(word).exists)
        return fail(
            Error{"this is a folder, not a file", word, 0, "give a file that holds a matrix, or a pack"});
    // It has the form of a generator, and of no file.
    if (hasGeneratorForm(word))
        SPARSERL_CHECK(parseGenerator(word));
    return fail(
        Error{"there is no such matrix file, pack or generator", word, 0,
              "give a file that holds a matrix, a pack of `sparserl pack`, or e.g. \"stencil2d(n=64)\""});
}

std::string structureClass(const Csr& matrix)
{
    return structureClass(computeFeatures(matrix));
}

std::string structureClass(const MatrixFeatures& f)
{
    const double side = std::max<double>(1, static_cast<double>(std::max(f.rows, f.cols)));
    const double ratio = f.cols > 0 ? static_cast<double>(f.rows) / static_cast<double>(f.cols) : 0;
    if (f.nnz > 0 && f.bandwidthMax == 0)
        return "diagonal";
    if (f.density >= 0.1)
        return "dense-ish";
    if (f.rowMean < 1 || (f.emptyRows > 0.3 && f.rowMean < 3.5))
        return "hyper-sparse";
    if (ratio < 0.8 || ratio > 1.25)
        return "rectangular";
    if (f.rowCv > 1)
        return "power-law/skewed";
    if (*std::max_element(f.blockFill.begin(), f.blockFill.end()) >= 0.7)
        return "block-structured";
    const double spread = f.bandwidthMean / side;
    if (spread < 0.015)
        return "banded/narrow";
    return spread < 0.08 ? "banded/wide" : "irregular";
}

} // namespace sparserl
