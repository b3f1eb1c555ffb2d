// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/read.h"
#include "matrix/text_blocks.h"

// The two text formats; matrix/read.h is the way in.
namespace sparserl {

/// `first` is the block that starts the file, `memory` as in ReadOptions; `warnings` gets what is wrong with
/// a file that is read.
Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                              ReadWarnings& warnings);
Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, std::int64_t memory,
                            ReadWarnings& warnings);

/// Refuses dimensions or a number of entries beyond 2^31 - 1, or dimensions beyond `memory` bytes (0: this
/// machine's free memory).
Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries, std::int64_t memory);
/// Refuses a matrix that needs more bytes than there are.
Status checkMemory(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                   std::int64_t needed, std::int64_t memory);

} // namespace sparserl
