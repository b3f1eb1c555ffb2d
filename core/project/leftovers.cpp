// SPDX-License-Identifier: Apache-2.0
#include "project/leftovers.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/time.h"
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

bool isOld(const Entry& entry, std::chrono::seconds age)
{
    const double written = static_cast<double>(entry.modified) * 1e-9;
    return age.count() == 0 || unixSeconds() - written > static_cast<double>(age.count());
}

} // namespace

void removeLeftovers(const fs::path& folder, std::chrono::seconds age)
{
    for (const fs::path& path : entriesOf(folder)) {
        if (!isTemporary(path.filename().string()))
            continue;
        std::error_code ignored;
        if (const Entry look = glance(path); look.regular && isOld(look, age))
            removeEntry(path, ignored);
    }
}

void removeHalfBundles(const fs::path& folder, std::chrono::seconds age)
{
    for (const fs::path& path : entriesOf(folder)) {
        std::error_code ignored;
        if (path.filename().string().starts_with(".bundle-") && isOld(glance(path), age))
            removeTree(path, ignored);
    }
}

void removeScratchRuns(const fs::path& folder, const std::string& prefix, std::chrono::seconds age)
{
    for (const fs::path& path : entriesOf(folder)) {
        const std::string name = path.filename().string();
        std::error_code ignored;
        // Others' folders and links may lie in the same place.
        if (name.starts_with(prefix + "-") && name.size() == prefix.size() + 7 &&
            fs::is_directory(fs::symlink_status(path, ignored)) && glance(path / "run" / runFile).exists &&
            isOld(glance(path), age) && !FileLock::isLocked(path / "run" / workerLock))
            removeTree(path, ignored);
    }
}

} // namespace sparserl
