// SPDX-License-Identifier: Apache-2.0
#include "base/path_folders.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace sparserl {

std::vector<std::filesystem::path> pathFolders(const char* otherwise)
{
    const char* set = std::getenv("PATH");
    std::string_view rest = set != nullptr ? set : otherwise;
    std::vector<std::filesystem::path> folders;
    while (!rest.empty()) {
        const auto end = std::min(rest.find(':'), rest.size());
        if (end > 0)
            folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return folders;
}

} // namespace sparserl
