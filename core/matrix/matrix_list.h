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

/// A matrix argument of a command, before it is read.
struct ListedMatrix
{
    std::string
        name; ///< For tables: the file name without suffixes, the pack's name, or the generator's text.
    std::string structure; ///< Structure class if a pack states it; empty otherwise.
    std::int64_t nnz = -1; ///< -1 if unknown without reading.
    bool generated = false;
    bool packed = false;                                 ///< From a pack.
    std::function<Result<Csr>(const ReadOptions&)> load; ///< Thread-safe.
};

/// The meaning of a command-line argument, from its form and the existing files. The first three take
/// precedence over a project's matrix names, which take precedence over the others.
enum class MatrixWord
{
    File,      ///< Exists and is not a folder.
    InPack,    ///< PACK#NAME with an existing pack.
    Generator, ///< KIND(...): a generator with its parameters, valid or not.
    Kind,      ///< A generator's kind without parameters.
    Other      ///< Anything else.
};
MatrixWord matrixWord(const std::string& word);

/// Why a matrix of a project cannot have this name: it is too long, or a command would read it as a path or
/// as a generator text other than the matrix's own. Empty if the name is allowed.
std::string matrixNameFault(const std::string& name, std::string_view ownGenerator = {});

/// Lists the matrices of a command-line argument: a file (matrix/read.h), a pattern pack (all its matrices),
/// one matrix of a pack as PACK#NAME, or a generator: "lp(rows=20000,long=4)".
Result<std::vector<ListedMatrix>> listMatrices(const std::string& word);

/// A structure class from thresholds on the pattern, for tables: diagonal, banded/narrow, banded/wide,
/// block-structured, dense-ish, hyper-sparse, power-law/skewed, rectangular, irregular. A heuristic label.
std::string structureClass(const Csr& matrix);
std::string structureClass(const MatrixFeatures& features);

} // namespace sparserl
