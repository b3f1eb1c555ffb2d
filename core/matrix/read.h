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

/// What a matrix file says about its matrix, and what was changed while it was read.
struct MatrixSource
{
    std::string format;   ///< "matrix-market", "smtx", "scipy-npz", "npy", "petsc" or "harwell-boeing"
    std::string storage;  ///< "coordinate" or "array" for Matrix Market; otherwise "csr", "csc", "coo",
                          ///< "bsr", "dia" or "dense"
    std::string field;    ///< "real", "integer" or "pattern"
    std::string symmetry; ///< "general", "symmetric" or "skew-symmetric"
    bool compressed = false;
    std::int64_t storedEntries = 0; ///< Entries that the file declares, before symmetric expansion.
    std::int64_t duplicates =
        0; ///< Entries that were added to an earlier entry at the same position, after expansion.
    std::int64_t explicitZeros =
        0;                     ///< Zeros that are stored as entries, after expansion. The pattern keeps them.
    bool seededValues = false; ///< The file has only a pattern. The values are seeded (matrix/values.h).
    std::int64_t textBytes = 0;          ///< Bytes of text, uncompressed.
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
    Progress progress; ///< Counts the bytes of the file.
    /// Receives the MatrixSource::warnings of every file that is read. For callers that see only the matrix.
    std::function<void(const MatrixWarning&)> onWarning;
    /// Maximum size of the matrix in bytes, since a short header can declare two billion rows. 0 means the
    /// free memory, but at most 1 GiB or 4096 times the file size.
    std::int64_t memory = 0;
    /// Keeps doubles that floats cannot represent (Csr::val64), for computation in double precision. This
    /// takes more memory.
    bool doubles = false;
};

/// Reads a matrix from a file in one of these formats: Matrix Market (coordinate and array; real, integer,
/// pattern; general, symmetric, skew-symmetric), DLMC .smtx, .npz from scipy.sparse.save_npz, .npy, PETSc
/// binary, Harwell-Boeing or Rutherford-Boeing. The file may be plain or gzip, or the matrix may be in a
/// .tar, .tar.gz or .zip, which is not unpacked to disk. The format follows from the contents of the file,
/// not from its name. For a format that is recognised but not supported, the Error names the command that
/// converts it. Sums duplicates in double precision and keeps stored zeros. For malformed input, the Error
/// has file, line and reason.
Result<MatrixFile> readMatrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads a matrix from the bytes of a file. Messages contain `name`.
Result<MatrixFile> readMatrixFromBytes(std::string_view bytes, const std::string& name,
                                       const ReadOptions& options = {});

} // namespace sparserl
