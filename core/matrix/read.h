// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/csr.h"
#include "matrix/read_warnings.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace sparserl {

/// What the file said about itself, and what reading it changed.
struct MatrixSource
{
    std::string format;   ///< "matrix-market", "smtx", "scipy-npz", "npy", "petsc" or "harwell-boeing"
    std::string storage;  ///< "coordinate" or "array"; "csr", "csc", "coo", "bsr", "dia" or "dense" of others
    std::string field;    ///< "real", "integer" or "pattern"
    std::string symmetry; ///< "general", "symmetric" or "skew-symmetric"
    bool compressed = false;
    std::int64_t storedEntries = 0; ///< Entries as the file counts them, before symmetric expansion.
    std::int64_t duplicates = 0;    ///< Entries that were added to an earlier one (after expansion).
    std::int64_t explicitZeros = 0; ///< Stored zeros (after expansion), kept in the pattern.
    bool seededValues = false;      ///< The file has a pattern only: values are seeded (matrix/values.h).
    std::int64_t textBytes = 0;     ///< Bytes of text parsed (uncompressed).
    std::vector<MatrixWarning> warnings; ///< What the format forbids and reading took all the same.
};

struct MatrixFile
{
    Csr matrix;
    MatrixSource source;
};

struct ReadOptions
{
    CancelToken cancel;
    Progress progress; ///< By bytes of the file.
    /// Gets MatrixSource::warnings of every file that was read; for callers that see the matrix only.
    std::function<void(const MatrixWarning&)> onWarning;
    /// Bytes that a matrix may need: a few words can promise two thousand million rows. 0: what is free,
    /// and at most 1 GiB or 4096 times the file.
    std::int64_t memory = 0;
    /// Keep doubles that floats cannot hold (Csr::val64), which takes memory: for what computes in double
    /// precision.
    bool doubles = false;
};

/// Reads Matrix Market (coordinate and array; real, integer, pattern; general, symmetric, skew-symmetric),
/// DLMC .smtx, .npz of scipy.sparse.save_npz, .npy, PETSc binary, Harwell-Boeing and Rutherford-Boeing, plain
/// or gzip, and the matrix in a .tar, .tar.gz or .zip, which is not unpacked. What a file is follows from its
/// contents, not from its name; a format that is known and not read is refused with the command that
/// converts. Duplicates are
/// summed in double precision, stored zeros stay. Malformed input fails with file, line and reason; nothing
/// is half-read.
Result<MatrixFile> readMatrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from the bytes of a file in memory; `name` stands in messages.
Result<MatrixFile> readMatrixFromBytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options = {});

} // namespace sparserl
