// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace sparserl {

/// The absolute path of a folder, links resolved as far as it exists, without a slash at its end: what lists
/// of the user's settings name it by.
std::filesystem::path placeOf(const std::filesystem::path& folder);

} // namespace sparserl
