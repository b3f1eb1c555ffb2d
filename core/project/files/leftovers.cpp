// SPDX-License-Identifier: Apache-2.0
#include "project/files/leftovers.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/temporary_name.h"
#include "base/time.h"
#include "project/files/run_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

/// Is this what writeFileAtomic() of another process calls a file until it is whole?
bool isTemporary(const std::string& name)
{
    const auto process = processOfTemporary(name);
    return process && *process != fmt::to_string(::getpid());
}

bool isOld(const Entry& entry, std::chrono::seconds age)
{
    const double written = static_cast<double>(entry.modified) * 1e-9;
    return age.count() == 0 || unixSeconds() - written > static_cast<double>(age.count());
}

} // namespace

void removeLeftovers(const fs::path& folder, std::chrono::seconds age, const std::vector<fs::path>& named)
{
    for (const fs::path& path : entriesOf(folder)) {
        if (!isTemporary(path.filename().string()) ||
            std::find(named.begin(), named.end(), path.lexically_normal()) != named.end())
            continue;
        std::error_code ignored;
        if (const Entry look = glance(path); look.regular && isOld(look, age))
            removeEntry(path, ignored);
    }
}

void removeHalfBundles(const fs::path& folder, std::chrono::seconds age)
{
    for (const fs::path& path : entriesOf(folder)) {
        constexpr std::string_view prefix = ".bundle-";
        const std::string name = path.filename().string();
        std::error_code ignored;
        if (name.starts_with(prefix) && name.size() == prefix.size() + 6 && isOld(glance(path), age))
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
