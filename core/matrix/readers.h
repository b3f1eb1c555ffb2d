// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/assemble.h"
#include "matrix/read.h"
#include "matrix/text_blocks.h"

#include <algorithm>
#include <cstdint>
#include <limits>

// Readers of the individual formats. Call them through matrix/read.h.
namespace sparserl {

class Archive;

/// `first` is the first block of the file, and `memory` is as in ReadOptions. `warnings` receives accepted
/// violations of the format.
Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                              ReadWarnings& warnings);
Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                            ReadWarnings& warnings);

/// Reads Harwell-Boeing and Rutherford-Boeing files (Duff, Grimes, Lewis 1992 and 1997) with an assembled
/// matrix of real, integer or pattern type. looksHarwell() examines the first lines of a file.
bool looksHarwell(std::string_view head);
Result<MatrixFile> readHarwell(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                               ReadWarnings& warnings);

/// Reads binary files from PETSc's MatView with big-endian byte order, 32-bit indices and real values.
/// looksPetsc() also recognizes files of other PETSc builds, which readPetsc() refuses.
bool looksPetsc(std::string_view head);
Result<MatrixFile> readPetsc(std::string_view bytes, const std::string& name, std::int64_t memory,
                             ReadWarnings& warnings);

/// Reads a two-dimensional array from numpy.save.
Result<MatrixFile> readNpy(std::string_view bytes, const std::string& name, std::int64_t memory);
/// Whether a zip archive comes from NumPy: all its members are arrays.
bool isNpz(const Archive& archive);
/// Reads files of scipy.sparse.save_npz (csr, csc, coo, bsr, dia), and of numpy.savez with one
/// two-dimensional array.
Result<MatrixFile> readNpz(const Archive& archive, const std::string& name, const ReadOptions& options);

/// A line number in the form used by Error.
inline int lineOf(std::int64_t line)
{
    return static_cast<int>(std::min<std::int64_t>(line, std::numeric_limits<int>::max()));
}

/// Refuses dimensions or entry counts beyond 2^31 - 1, and dimensions that need more than `memory` bytes (0:
/// the free memory of this machine).
Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries, std::int64_t memory);
/// Refuses a matrix that needs more bytes than allowed.
Status checkMemory(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                   std::int64_t needed, std::int64_t memory);
/// The same for a file's contents, before the matrix size is known.
Status checkBytes(const std::string& name, std::int64_t needed, std::int64_t memory);
/// Refuses a value that is out of range for single precision. Row and column count from 0.
Status checkValue(const std::string& name, int line, double value, std::int64_t row, std::int64_t col);
/// assemble(), with a check that sums of duplicates stay finite.
Result<Csr> assembleChecked(const std::string& name, std::int32_t rows, std::int32_t cols, Triplets&& entries,
                            std::int64_t& duplicates);

} // namespace sparserl
