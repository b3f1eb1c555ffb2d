// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/assemble.h"
#include "matrix/read.h"
#include "matrix/text_blocks.h"

#include <algorithm>
#include <cstdint>
#include <limits>

// The formats; matrix/read.h is the way in.
namespace sparserl {

class Archive;

/// `first` is the block that starts the file, `memory` as in ReadOptions; `warnings` gets what is wrong with
/// a file that is read.
Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                              ReadWarnings& warnings);
Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                            ReadWarnings& warnings);

/// Harwell-Boeing and Rutherford-Boeing (Duff, Grimes, Lewis 1992 and 1997): assembled, real, integer or
/// pattern. `looksHarwell` asks the lines that a file begins with.
bool looksHarwell(std::string_view head);
Result<MatrixFile> readHarwell(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                               ReadWarnings& warnings);

/// Binary files of PETSc's MatView, big-endian, with 32-bit indices and real values. `looksPetsc` also knows
/// those of other builds, which readPetsc refuses.
bool looksPetsc(std::string_view head);
Result<MatrixFile> readPetsc(std::string_view bytes, const std::string& name, std::int64_t memory,
                             ReadWarnings& warnings);

/// An array of two dimensions, of numpy.save.
Result<MatrixFile> readNpy(std::string_view bytes, const std::string& name, std::int64_t memory);
/// Whether a zip archive is one of NumPy: all that is in it are arrays.
bool isNpz(const Archive& archive);
/// scipy.sparse.save_npz (csr, csc, coo, bsr, dia), or numpy.savez of one array of two dimensions.
Result<MatrixFile> readNpz(const Archive& archive, const std::string& name, const ReadOptions& options);

/// A line's number as errors have it.
inline int lineOf(std::int64_t line)
{
    return static_cast<int>(std::min<std::int64_t>(line, std::numeric_limits<int>::max()));
}

/// Refuses dimensions or a number of entries beyond 2^31 - 1, or dimensions beyond `memory` bytes (0: this
/// machine's free memory).
Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries, std::int64_t memory);
/// Refuses a matrix that needs more bytes than there are.
Status checkMemory(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                   std::int64_t needed, std::int64_t memory);
/// The same of a file's contents, before its size is known.
Status checkBytes(const std::string& name, std::int64_t needed, std::int64_t memory);
/// Refuses what single precision does not hold; row and column from 0.
Status checkValue(const std::string& name, int line, double value, std::int64_t row, std::int64_t col);
/// assemble(), where sums of duplicates must stay finite.
Result<Csr> assembleChecked(const std::string& name, std::int32_t rows, std::int32_t cols, Triplets&& entries,
                            std::int64_t& duplicates);

} // namespace sparserl
