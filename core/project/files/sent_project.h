// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// Marks a project that came from another person as trusted. First removes all derived files (index,
/// features, pictures, digests of sources), because the sender may have forged them; they are created again
/// on this machine. If this fails, the project does not become trusted. Does nothing if the project is
/// already trusted.
Status trustSentProject(const std::filesystem::path& project);

} // namespace sparserl
