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

/// A matrix that an argument of a command names, before the matrix is read.
struct ListedMatrix
{
    std::string
        name; ///< For tables: the file name without suffixes, the name in the pack, or the generator's text.
    std::string structure; ///< The structure class that a pack states; otherwise empty.
    std::int64_t nnz = -1; ///< -1 if the number is unknown before the matrix is read.
    bool generated = false;
    bool packed = false;                                 ///< The matrix is in a pack.
    std::function<Result<Csr>(const ReadOptions&)> load; ///< Thread-safe.
};

/// What a command-line argument means, according to its form and to the files that exist. The first three
/// meanings take precedence over a project's matrix names, which take precedence over the other meanings.
enum class MatrixWord
{
    File,      ///< Something that exists and is not a folder.
    InPack,    ///< PACK#NAME, where the pack exists.
    Generator, ///< KIND(...): a generator with parameters, which may be invalid.
    Kind,      ///< A kind of generator, without parameters.
    Other      ///< Anything else.
};
MatrixWord matrixWord(const std::string& word);

/// Returns the reason why a matrix of a project cannot have this name: it is too long, or a command would
/// read it as a path or as the text of a generator other than `ownGenerator`, the matrix's own. Returns an
/// empty text if the name is allowed.
std::string matrixNameFault(const std::string& name, std::string_view ownGenerator = {});

/// Lists the matrices that a command-line argument names. The argument is a file (matrix/read.h), a pattern
/// pack (all its matrices), one matrix of a pack (PACK#NAME), or a generator: "lp(rows=20000,long=4)".
Result<std::vector<ListedMatrix>> listMatrices(const std::string& word);

/// Returns a structure class for tables, by thresholds on features of the pattern: diagonal, banded/narrow,
/// banded/wide, block-structured, dense-ish, hyper-sparse, power-law/skewed, rectangular or irregular. It is
/// a heuristic label.
std::string structureClass(const Csr& matrix);
std::string structureClass(const MatrixFeatures& features);

} // namespace sparserl
