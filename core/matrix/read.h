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

/// Metadata of a matrix file, and the changes made while reading it.
struct MatrixSource
{
    std::string format;   ///< "matrix-market", "smtx", "scipy-npz", "npy", "petsc" or "harwell-boeing"
    std::string storage;  ///< "coordinate" or "array" for Matrix Market; otherwise "csr", "csc", "coo",
                          ///< "bsr", "dia" or "dense"
    std::string field;    ///< "real", "integer" or "pattern"
    std::string symmetry; ///< "general", "symmetric" or "skew-symmetric"
    bool compressed = false;
    std::int64_t storedEntries = 0;      ///< Entries declared by the file, before symmetric expansion.
    std::int64_t duplicates = 0;         ///< Entries added to an earlier one, after expansion.
    std::int64_t explicitZeros = 0;      ///< Stored zeros, after expansion; kept in the pattern.
    bool seededValues = false;           ///< The file contains only a pattern; the values are seeded
                                         ///< (matrix/values.h).
    std::int64_t textBytes = 0;          ///< Bytes of uncompressed text.
    std::vector<MatrixWarning> warnings; ///< Violations of the format that the reader accepted.
};

struct MatrixFile
{
    Csr matrix;
    MatrixSource source;
};

struct ReadOptions
{
    CancelToken cancel;
    Progress progress; ///< In bytes of the file.
    /// Receives MatrixSource::warnings of every file read, for callers that see only the matrix.
    std::function<void(const MatrixWarning&)> onWarning;
    /// Maximum bytes of the matrix, since a short header can declare two billion rows. 0: the free memory,
    /// but at most 1 GiB or 4096 times the file size.
    std::int64_t memory = 0;
    /// Keeps doubles that floats cannot represent (Csr::val64), at a cost in memory. For double-precision
    /// computation.
    bool doubles = false;
};

/// Reads Matrix Market (coordinate and array; real, integer, pattern; general, symmetric, skew-symmetric),
/// DLMC .smtx, .npz from scipy.sparse.save_npz, .npy, PETSc binary, Harwell-Boeing and Rutherford-Boeing,
/// plain or gzip, or the matrix in a .tar, .tar.gz or .zip, without unpacking it to disk. The contents
/// determine the format; the name does not. A recognized but unsupported format fails with the command that
/// converts it. Sums duplicates in double precision and keeps stored zeros. Malformed input fails with file,
/// line and reason.
Result<MatrixFile> readMatrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for a file in memory. `name` appears in messages.
Result<MatrixFile> readMatrixFromBytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options = {});

} // namespace sparserl
