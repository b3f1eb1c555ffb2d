// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// Whether a folder contains exactly these files of a bundle with equal bytes, except for the time in
/// manifest.json. An additional or modified file, a link, or another folder makes it a different bundle. A
/// manifest proves nothing, because it can be modified together with a file.
bool holdsBundle(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

} // namespace sparserl
