// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// Whether a folder holds these files of a bundle and nothing else, each to the byte; of manifest.json only
/// the time may differ. A file that was added or changed, a link, or another folder makes it another bundle:
/// a manifest proves nothing, since those who change a file may change it, too.
bool holdsBundle(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

} // namespace sparserl
