// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// Trusts a project received from another person. First removes all derived files (index, features, pictures,
/// digests of sources), which are created again here, because the sender may have forged them. If that fails,
/// the project is not trusted. A trusted project is left unchanged.
Status trustSentProject(const std::filesystem::path& project);

} // namespace sparserl
