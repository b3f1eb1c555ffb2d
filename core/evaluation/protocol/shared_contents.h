// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "matrix/contents.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Contents of targets as sealed shared memory, each from a multiple of 8 bytes on (matrix/contents.h).
/// Several in one, as processes and messages hold few files.
Result<SharedBuffer> shareContents(std::span<const Contents> contents);
/// The inverse; checks every invariant, since the memory comes from another process. One at least.
Result<std::vector<Contents>> readSharedContents(const SharedBuffer& buffer);
/// The key of contents that come in a file of that name with others, or alone.
std::string keyInFile(const std::string& file, std::size_t index, std::size_t count);

} // namespace sparserl
