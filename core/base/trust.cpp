// SPDX-License-Identifier: Apache-2.0
#include "base/trust.h"

#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/place.h"
#include "base/settings_file.h"
#include "base/shell.h"
#include "base/subprocess.h"
#include "base/trust_once.h"
#include "base/trust_roots.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Who trusts more projects than that forgets the oldest.
constexpr std::ptrdiff_t mostProjects = 2000;

struct TrustedProject
{
    std::string identity, place;
};

/// The identity of the project that trustProjectOnce() prepares in this thread.
thread_local std::string preparedIdentity;

/// A line of the file: identity, a blank, and the place. Nothing: a comment, or what another version wrote.
std::optional<TrustedProject> projectOf(std::string_view line)
{
    const auto blank = line.find(' ');
    if (line.starts_with('#') || blank == std::string_view::npos)
        return std::nullopt;
    return TrustedProject{std::string(line.substr(0, blank)), std::string(line.substr(blank + 1))};
}

bool trustsAll()
{
    const char* said = std::getenv("SPARSERL_TRUST");
    return said != nullptr && std::string_view(said) == "all";
}

/// The identity as versions before had it: without the file system.
std::string_view withoutVolume(std::string_view identity)
{
    return identity.substr(0, identity.find('@'));
}

/// The list with one more. Lines that are no project's stay. A project is its identity, wherever it lies: one
/// that was moved stays, even when another is made in its place or its place is gone. Where folders have no
/// time of birth, numbers are used again, and the place is a part of the identity.
std::string withProject(const std::string& before, const TrustedProject& added)
{
    std::vector<std::string_view> lines = linesOf(before);
    const auto isAdded = [&](std::string_view line) {
        const auto one = projectOf(line);
        return one && one->identity == added.identity && one->place == added.place;
    };
    if (std::any_of(lines.begin(), lines.end(), isAdded))
        return before;
    std::erase_if(lines, [&](std::string_view line) {
        const auto one = projectOf(line);
        return one && (one->identity == added.identity ||
                       (one->place == added.place && withoutVolume(one->identity).ends_with('-')));
    });
    const auto count = [](std::string_view line) { return projectOf(line).has_value(); };
    auto tooMany = std::count_if(lines.begin(), lines.end(), count) + 1 - mostProjects;
    // Those of scratch folders that are gone first.
    std::error_code code;
    const std::string scratch = fs::temp_directory_path(code).string() + "/";
    const auto isGone = [&](std::string_view line) {
        const auto one = projectOf(line);
        return one && one->place.starts_with(scratch) && !fs::exists(one->place, code);
    };
    if (tooMany > 0)
        std::erase_if(lines,
                      [&](std::string_view line) { return tooMany > 0 && isGone(line) && tooMany-- > 0; });
    std::erase_if(lines, [&](std::string_view line) { return tooMany > 0 && count(line) && tooMany-- > 0; });
    std::string after;
    for (const std::string_view line : lines)
        after.append(line) += '\n';
    return after + added.identity + " " + added.place + "\n";
}

/// The file system that a folder is on: the UUID of its disk, which stays when the machine starts again, else
/// what the file system says of itself.
std::string volumeOf(const fs::path& folder, std::uint32_t major, std::uint32_t minor)
{
    const fs::path disks = "/dev/disk/by-uuid";
    std::error_code code;
    for (fs::directory_iterator disk(disks, code), end; !code && disk != end; disk.increment(code)) {
        struct stat info
        {
        };
        if (::stat(disk->path().c_str(), &info) == 0 && S_ISBLK(info.st_mode) &&
            info.st_rdev == makedev(major, minor))
            return disk->path().filename().string();
    }
    struct statfs info
    {
    };
    if (::statfs(folder.c_str(), &info) != 0)
        return "?";
    std::array<std::uint32_t, 2> number{};
    static_assert(sizeof number == sizeof info.f_fsid);
    std::memcpy(number.data(), &info.f_fsid, sizeof number);
    return fmt::format("{:x}-{:08x}{:08x}", static_cast<std::uint64_t>(info.f_type), number[0], number[1]);
}

} // namespace

fs::path placeOf(const fs::path& folder)
{
    std::error_code code;
    fs::path place = fs::weakly_canonical(fs::absolute(folder, code), code);
    return place.has_filename() ? place : place.parent_path();
}

std::string folderIdentity(const fs::path& folder)
{
    struct statx info
    {
    };
    if (::statx(AT_FDCWD, folder.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0)
        return {};
    const std::string volume = volumeOf(folder, info.stx_dev_major, info.stx_dev_minor);
    if ((info.stx_mask & STATX_BTIME) == 0)
        return fmt::format("{}-@{}", info.stx_ino, volume);
    return fmt::format("{}-{}.{:09}@{}", info.stx_ino, info.stx_btime.tv_sec, info.stx_btime.tv_nsec, volume);
}

fs::path trustedFile()
{
    return userSettingsFolder() / "trusted-projects";
}

fs::path bundledProject()
{
    // Only in the two places that a build knows: beside the program where it was installed, and in the
    // sources that it was built from. Anybody may lay a folder of this name elsewhere.
    std::error_code ignored;
    const fs::path program = executablePath();
    const fs::path built = SPARSERL_BUILD_FOLDER;
    const auto below = program.lexically_relative(built);
    const bool isBuilt = !below.empty() && *below.begin() != "..";
    const fs::path folder = isBuilt
                                ? fs::path(SPARSERL_SOURCE_FOLDER) / "projects/quickstart"
                                : (program.parent_path() / SPARSERL_INSTALLED_QUICKSTART).lexically_normal();
    return fs::exists(folder / "project.toml", ignored) ? folder : fs::path();
}

Result<bool> trustOf(const fs::path& project)
{
    if (trustsAll())
        return true;
    const std::string identity = folderIdentity(project), place = placeOf(project).string();
    if (identity.empty())
        return false;
    if (identity == preparedIdentity)
        return true;
    const std::string_view older = withoutVolume(identity);
    const bool born = !older.ends_with('-');
    const auto text = readSettings(trustedFile());
    for (const std::string_view line : text ? linesOf(*text) : std::vector<std::string_view>())
        if (const auto one = projectOf(line);
            one && (one->identity == identity || (born && one->identity == older)) &&
            (born || one->place == place))
            return true;
    if (const fs::path bundled = bundledProject(); !bundled.empty() && placeOf(bundled) == place)
        return true;
    return text ? Result<bool>(false) : fail(text.error());
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
    bool wasRead = false;
    auto written = changeSettings(trustedFile(), [&](const std::string& before) -> Result<std::string> {
        wasRead = true;
        return withProject(before, added);
    });
    if (!written && wasRead)
        written.error().remedy = "Make that folder writable, or set SPARSERL_TRUST=all";
    return written;
}

Status trustProjectOnce(const fs::path& project, const std::function<Status()>& prepare)
{
    preparedIdentity = folderIdentity(project);
    const Status prepared = prepare();
    preparedIdentity.clear();
    return prepared ? trustProject(project) : prepared;
}

namespace {

/// A run of no project is trusted where it was made here, where the folder whose runs/ it lies in is (a
/// project that is being sent here, or has lost its project.toml), and beneath a link of a trusted project
/// that the user allows.
Result<bool> isRunTrusted(const fs::path& run)
{
    SPARSERL_TRY(bool trusted, trustOf(run));
    if (!trusted && run.parent_path().filename() == "runs") {
        SPARSERL_TRY(trusted, trustOf(run.parent_path().parent_path()));
    }
    if (trusted)
        return true;
    for (const fs::path& link : allowedLinksTo(run))
        if (!trustRootsAbove(link).empty() && requireTrustAbove(link))
            return true;
    return false;
}

Status requireAll(const std::vector<TrustRoot>& roots)
{
    for (const TrustRoot& root : roots) {
        SPARSERL_TRY(const bool trusted, root.isRun ? isRunTrusted(root.folder) : trustOf(root.folder));
        if (trusted)
            continue;
        const bool canBeTrusted = root.folder.string().find('\n') == std::string::npos; // trustProject()
        const std::string command = shellCommand("sparserl project trust {}", {root.folder.string()});
        return failAt(
            root.folder.string(), 0,
            root.isRun ? "this run is read-only: it is not part of a project, and you did not make "
                         "it on this machine"
                       : "this project is read-only: you have not created or used it on this machine",
            !canBeTrusted
                ? "Rename the folder: its path has a line break"
                : command + (root.isRun ? " lets it be worked on here, with the project that it names"
                                        : " lets it be changed and worked on here"));
    }
    return {};
}

} // namespace

Status requireTrust(const fs::path& path)
{
    return trustsAll() ? Status() : requireAll(trustRootsAround(path));
}

Status requireTrustAbove(const fs::path& path)
{
    return trustsAll() ? Status() : requireAll(trustRootsAbove(path));
}

} // namespace sparserl
