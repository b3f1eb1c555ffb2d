// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/shared_buffer.h"
#include "matrix/contents.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Contents of targets as sealed shared memory, each aligned to 8 bytes (matrix/contents.h). Several share
/// one buffer, because processes and messages hold few files.
Result<SharedBuffer> shareContents(std::span<const Contents> contents);
/// The inverse. Checks every invariant, since the memory comes from another process. There is at least one.
Result<std::vector<Contents>> readSharedContents(const SharedBuffer& buffer);
/// The key of contents in a file of this name, alone or with others.
std::string keyInFile(const std::string& file, std::size_t index, std::size_t count);

} // namespace sparserl
