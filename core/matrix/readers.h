// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/read.h"
#include "matrix/text_blocks.h"

// The two text formats; matrix/read.h is the way in.
namespace sparserl {

/// `first` is the block that starts the file; `warnings` gets what is wrong with a file that is read.
Result<MatrixFile> readMarket(TextBlocks& blocks, std::string_view first, ReadWarnings& warnings);
Result<MatrixFile> readSmtx(TextBlocks& blocks, std::string_view first, ReadWarnings& warnings);

/// Refuses dimensions or a number of entries beyond 2^31 - 1, or beyond this machine's free memory.
Status checkSize(const std::string& name, int line, std::int64_t rows, std::int64_t cols,
                 std::int64_t entries);

} // namespace sparserl
