// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <functional>

namespace sparserl {

/// Writes a directory that other programs read: calls `write` with an empty directory next to it, syncs the
/// result and renames it. Creates missing parents. Fails if anything exists at `directory`; a failure leaves
/// nothing behind.
Status writeNewDirectory(const std::filesystem::path& directory,
                         const std::function<Status(const std::filesystem::path&)>& write);

} // namespace sparserl
