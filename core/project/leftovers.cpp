// SPDX-License-Identifier: Apache-2.0
#include "project/leftovers.h"

#include "base/beneath.h"
#include "base/lock.h"
#include "project/run_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

bool isNumber(std::string_view text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Is this what writeFileAtomic() of another process calls a file until it is whole?
bool isTemporary(const std::string& name)
{
    constexpr std::string_view mark = ".tmp-";
    const std::size_t at = name.rfind(mark);
    if (at == std::string::npos || at == 0)
        return false;
    const std::string_view rest = std::string_view(name).substr(at + mark.size());
    const std::size_t dash = rest.find('-');
    return dash != std::string_view::npos && isNumber(rest.substr(0, dash)) &&
           isNumber(rest.substr(dash + 1)) && rest.substr(0, dash) != fmt::to_string(::getpid());
}

bool isOld(const fs::directory_entry& entry, std::chrono::seconds age)
{
    std::error_code code;
    const auto written = entry.last_write_time(code);
    return age.count() == 0 || (!code && fs::file_time_type::clock::now() - written > age);
}

} // namespace

void removeLeftovers(const fs::path& folder, std::chrono::seconds age)
{
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        if (isTemporary(it->path().filename().string()) && it->is_regular_file(ignored) && isOld(*it, age))
            found.push_back(it->path());
    }
    for (const fs::path& path : found)
        removeEntry(path, code);
}

void removeHalfBundles(const fs::path& folder, std::chrono::seconds age)
{
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        if (it->path().filename().string().starts_with(".bundle-") && isOld(*it, age))
            found.push_back(it->path());
    }
    for (const fs::path& path : found)
        removeTree(path, code);
}

void removeScratchRuns(const fs::path& folder, const std::string& prefix, std::chrono::seconds age)
{
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        const std::string name = it->path().filename().string();
        // Others' folders and links may lie in the same place.
        if (name.starts_with(prefix + "-") && name.size() == prefix.size() + 7 &&
            it->symlink_status(ignored).type() == fs::file_type::directory &&
            fs::exists(it->path() / "run" / runFile, ignored) && isOld(*it, age) &&
            !FileLock::isLocked(it->path() / "run" / workerLock))
            found.push_back(it->path());
    }
    for (const fs::path& path : found)
        removeTree(path, code);
}

} // namespace sparserl
