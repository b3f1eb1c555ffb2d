// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace sparserl {

/// The absolute path of a folder without a trailing slash, with links in its existing part resolved. Lists in
/// the user's settings identify folders by this path.
std::filesystem::path placeOf(const std::filesystem::path& folder);

} // namespace sparserl
