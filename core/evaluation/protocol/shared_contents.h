// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "matrix/contents.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Copies contents of targets into sealed shared memory, each aligned to 8 bytes (matrix/contents.h). Several
/// contents share one buffer, because processes and messages can hold few files.
Result<SharedBuffer> shareContents(std::span<const Contents> contents);
/// Reads the contents from shared memory and returns at least one. Checks every invariant, because the memory
/// comes from another process.
Result<std::vector<Contents>> readSharedContents(const SharedBuffer& buffer);
/// Returns the key of the contents with this index in a file of this name, which has `count` contents.
std::string keyInFile(const std::string& file, std::size_t index, std::size_t count);

} // namespace sparserl
