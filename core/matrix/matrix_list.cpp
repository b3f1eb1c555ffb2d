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
#include <fmt/format.h>
#include <fstream>
#include <memory>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

bool isPack(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> head{};
    return file.read(head.data(), head.size()) && std::string_view(head.data(), 8) == "SRLPACK1";
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

} // namespace

Result<std::vector<ListedMatrix>> listMatrices(const std::string& word)
{
    const auto look = glance(word);
    if (const auto hash = word.rfind('#');
        hash != std::string::npos && !look.exists && glance(word.substr(0, hash)).regular)
        return listPack(word.substr(0, hash), word.substr(hash + 1));
    if (look.regular) {
        if (isPack(word))
            return listPack(word, {});
        return std::vector<ListedMatrix>{
            {plainName(word), {}, -1, false, false, [word](const ReadOptions& options) -> Result<Csr> {
                 SPARSERL_TRY(auto read, readMatrix(word, options));
                 return std::move(read.matrix);
             }}};
    }
    const std::string kind = word.substr(0, word.find('('));
    const auto& kinds = generatorKinds();
    if (std::any_of(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == kind; })) {
        auto spec = parseGenerator(word);
        if (!spec)
            return fail(spec.error());
        return std::vector<ListedMatrix>{
            {spec->text(), {}, -1, true, false, [spec = *spec](const ReadOptions&) {
                 return generate(spec);
             }}};
    }
    if (look.exists)
        return fail(Error{look.folder ? "this is a folder, not a file" : "this is not a regular file", word,
                          0, "give a file that holds a matrix, or a pack"});
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
