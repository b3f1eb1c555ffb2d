// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// Trusts a project that somebody sent. What is made from its other files (index, features, pictures, digests
/// of sources) is removed and will be made here: its sender may have written anything into it. Where
/// that fails the project is not trusted. One that is trusted already is left as it is.
Status trustSentProject(const std::filesystem::path& project);

} // namespace sparserl
