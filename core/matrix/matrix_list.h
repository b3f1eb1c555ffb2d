// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"
#include "matrix/read.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A matrix that a command was given, not read yet.
struct ListedMatrix
{
    std::string
        name; ///< For tables: the file's name without endings, the pack's name, or the generator's text.
    std::string structure; ///< Class where a pack knows it; empty otherwise.
    std::int64_t nnz = -1; ///< Where it is known without reading; else -1.
    bool generated = false;
    bool packed = false;                                 ///< It is in a pack.
    std::function<Result<Csr>(const ReadOptions&)> load; ///< Safe from several threads.
};

/// What a word on the command line stands for, by its form and by what is there. The first three are what
/// they are whatever a project calls its matrices; a project's name comes before the others.
enum class MatrixWord
{
    File,      ///< Something that is there and no folder.
    InPack,    ///< PACK#NAME, where the pack is there.
    Generator, ///< KIND(...): a generator with its parameters, valid or not.
    Kind,      ///< A generator's kind alone.
    Other      ///< None of these.
};
MatrixWord matrixWord(const std::string& word);

/// Why a matrix of a project cannot have this name: a command that was given it would take it for something
/// else, a generator's text (other than the matrix's own) or a path, or it is too long. Empty: it can.
std::string matrixNameFault(const std::string& name, std::string_view ownGenerator = {});

/// What a word on the command line stands for: a file (matrix/read.h); a pattern pack (all its
/// matrices), or one of them as PACK#NAME; or a generator: "lp(rows=20000,long=4)".
Result<std::vector<ListedMatrix>> listMatrices(const std::string& word);

/// A structure class by thresholds on the pattern, for tables: diagonal, banded/narrow, banded/wide,
/// block-structured, dense-ish, hyper-sparse, power-law/skewed, rectangular, irregular. A label, not a truth.
std::string structureClass(const Csr& matrix);
std::string structureClass(const MatrixFeatures& features);

} // namespace sparserl
