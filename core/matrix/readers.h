// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/assemble.h"
#include "matrix/read.h"
#include "matrix/text_blocks.h"

#include <algorithm>
#include <cstdint>
#include <limits>

// The readers of the individual formats. Call them through matrix/read.h.
namespace sparserl {

class Archive;

/// Reads a Matrix Market file; readSmtx() reads a .smtx file. `first` is the first block of the file, and
/// `memory` is as in ReadOptions. `warnings` receives violations of the format that the reader accepted.
Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                              ReadWarnings& warnings);
Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                            ReadWarnings& warnings);

/// Returns whether the first lines of a file are those of a Harwell-Boeing or Rutherford-Boeing file.
bool looksHarwell(std::string_view head);
/// Reads a Harwell-Boeing or Rutherford-Boeing file (Duff, Grimes, Lewis 1992 and 1997) with an assembled
/// matrix of real, integer or pattern type.
Result<MatrixFile> readHarwell(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                               ReadWarnings& warnings);

/// Returns whether a file begins like a binary file from PETSc's MatView. Also returns true for files of
/// other PETSc builds, for which readPetsc() fails.
bool looksPetsc(std::string_view head);
/// Reads a binary file from PETSc's MatView with big-endian byte order, 32-bit indices and real values.
Result<MatrixFile> readPetsc(std::string_view bytes, const std::string& name, std::int64_t memory,
                             ReadWarnings& warnings);

/// Reads a two-dimensional array that numpy.save has written.
Result<MatrixFile> readNpy(std::string_view bytes, const std::string& name, std::int64_t memory);
/// Returns true if a zip archive comes from NumPy, that is, if all its members are arrays.
bool isNpz(const Archive& archive);
/// Reads a file of scipy.sparse.save_npz (csr, csc, coo, bsr, dia), or a file of numpy.savez that has one
/// two-dimensional array.
Result<MatrixFile> readNpz(const Archive& archive, const std::string& name, const ReadOptions& options);

/// Converts a line number to the form that Error uses.
inline int lineOf(std::int64_t line)
{
    return static_cast<int>(std::min<std::int64_t>(line, std::numeric_limits<int>::max()));
}

/// Fails for dimensions or entry counts above 2^31 - 1, and for dimensions that need more than `memory` bytes
/// (0: the free memory of this machine).
Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries, std::int64_t memory);
/// Fails if a matrix needs more than `memory` bytes (0: the free memory).
Status checkMemory(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                   std::int64_t needed, std::int64_t memory);
/// Fails if the contents of a file need more than `memory` bytes. For use before the matrix size is known.
Status checkBytes(const std::string& name, std::int64_t needed, std::int64_t memory);
/// Fails for a value that is out of range for single precision. `row` and `col` count from 0.
Status checkValue(const std::string& name, int line, double value, std::int64_t row, std::int64_t col);
/// Calls assemble(), and fails if a sum of duplicates is not finite.
Result<Csr> assembleChecked(const std::string& name, std::int32_t rows, std::int32_t cols, Triplets&& entries,
                            std::int64_t& duplicates);

} // namespace sparserl
