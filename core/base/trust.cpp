// SPDX-License-Identifier: Apache-2.0
#include "base/trust.h"

#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/shell.h"
#include "base/subprocess.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Who trusts more projects than that forgets the oldest.
constexpr std::size_t mostProjects = 2000;

struct TrustedProject
{
    std::string identity, place;
};

fs::path placeOf(const fs::path& folder)
{
    std::error_code code;
    fs::path place = fs::weakly_canonical(fs::absolute(folder, code), code);
    return place.has_filename() ? place : place.parent_path();
}

std::vector<TrustedProject> trustedProjects()
{
    std::vector<TrustedProject> all;
    const std::string text = readFile(trustedFile(), 16 << 20).value_or(std::string());
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (const auto blank = line.find(' '); blank != std::string_view::npos)
            all.push_back({std::string(line.substr(0, blank)), std::string(line.substr(blank + 1))});
    }
    return all;
}

bool trustsAll()
{
    const char* said = std::getenv("SPARSERL_TRUST");
    return said != nullptr && std::string_view(said) == "all";
}

} // namespace

std::string folderIdentity(const fs::path& folder)
{
    struct statx info
    {
    };
    if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0)
        return {};
    if ((info.stx_mask & STATX_BTIME) == 0)
        return fmt::format("{}-", info.stx_ino);
    return fmt::format("{}-{}.{:09}", info.stx_ino, info.stx_btime.tv_sec, info.stx_btime.tv_nsec);
}

fs::path trustedFile()
{
    return userSettingsFolder() / "trusted-projects";
}

fs::path bundledProject()
{
    std::error_code ignored;
    fs::path folder = executablePath().parent_path();
    for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
        for (const char* below : {"share/sparserl/quickstart", "projects/quickstart"})
            if (fs::exists(folder / below / "project.toml", ignored))
                return folder / below;
    return {};
}

bool isTrusted(const fs::path& project)
{
    if (trustsAll())
        return true;
    const std::string identity = folderIdentity(project), place = placeOf(project).string();
    if (identity.empty())
        return false;
    const bool born = !identity.ends_with('-');
    for (const TrustedProject& one : trustedProjects())
        if (one.identity == identity && (born || one.place == place))
            return true;
    const fs::path bundled = bundledProject();
    return !bundled.empty() && placeOf(bundled) == place;
}

Status trustProject(const fs::path& project)
{
    if (trustsAll())
        return {};
    const TrustedProject added{folderIdentity(project), placeOf(project).string()};
    if (added.identity.empty())
        return failAt(project.string(), 0, "there is no such folder", "Check the path");
    if (added.place.find('\n') != std::string::npos)
        return failAt(project.string(), 0, "a project whose path has a line break cannot be trusted",
                      "Rename the folder");
    std::optional<FileLock> lock;
    for (int attempt = 0; !lock && attempt < 100; ++attempt) {
        SPARSERL_TRY(lock, FileLock::tryLock(trustedFile().string() + ".lock"));
        if (!lock)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!lock)
        return failAt(trustedFile().string(), 0, "another program is changing the list of trusted projects",
                      "Try again in a moment");
    auto all = trustedProjects();
    const auto same = [&](const TrustedProject& one) {
        return one.identity == added.identity && one.place == added.place;
    };
    if (std::any_of(all.begin(), all.end(), same))
        return {};
    // Another folder was there before; scratch projects go with their folders.
    std::error_code code;
    const std::string scratch = fs::temp_directory_path(code).string() + "/";
    std::erase_if(all, [&](const TrustedProject& one) {
        return one.place == added.place || (one.place.starts_with(scratch) && !fs::exists(one.place, code));
    });
    all.push_back(added);
    if (all.size() > mostProjects)
        all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(mostProjects));
    std::string text;
    for (const TrustedProject& one : all)
        text += one.identity + " " + one.place + "\n";
    auto written = writeFileAtomic(trustedFile(), text);
    if (!written)
        written.error().remedy = "Make that folder writable, or set SPARSERL_TRUST=all";
    return written;
}

Status requireTrust(const fs::path& path)
{
    for (const fs::path& project : projectsAround(path))
        if (!isTrusted(project))
            return failAt(
                project.string(), 0,
                "this project is open for reading only: you have neither made nor used it on this machine",
                shellCommand("sparserl project trust {}", {project.string()}) +
                    " lets it be changed and worked on here");
    return {};
}

} // namespace sparserl
