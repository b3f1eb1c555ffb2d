// SPDX-License-Identifier: Apache-2.0
#include "base/settings_file.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/lock.h"
#include "base/roots.h"
#include "base/system_remedy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mostBytes = 16 << 20;

/// What the system says, for who has no HOME, or an empty one: "" would be the current folder.
fs::path homeFolder()
{
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return home;
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr &&
        found->pw_dir != nullptr && *found->pw_dir == '/')
        return found->pw_dir;
    return "/";
}

tl::unexpected<Error> unreadable(const fs::path& file, int error)
{
    return failAt(file.string(), 0, "cannot read these settings: " + systemReason(error),
                  systemRemedy(error));
}

} // namespace

fs::path userSettingsFolder()
{
    const char* configured = std::getenv("XDG_CONFIG_HOME");
    if (configured != nullptr && *configured == '/')
        return fs::path(configured) / "sparserl";
    return homeFolder() / ".config" / "sparserl";
}

bool isPrivatePlace(const fs::path& path)
{
    const std::string settings = detail::plainPath(userSettingsFolder()).native(),
                      place = detail::plainPath(path).native();
    return place.starts_with(settings) && (place.size() == settings.size() || place[settings.size()] == '/');
}

void makePrivate(int descriptor)
{
    struct stat info
    {
    };
    if (::fstat(descriptor, &info) == 0 && (info.st_mode & 077) != 0 && info.st_uid == ::geteuid())
        static_cast<void>(::fchmod(descriptor, info.st_mode & 0700));
}

Status preparePrivateFile(const fs::path& file)
{
    SPARSERL_CHECK(makeDirectories(file.parent_path()));
    SPARSERL_CHECK(openFile(file, O_WRONLY | O_CREAT | O_APPEND, "write these settings"));
    return {};
}

Result<std::string> readSettings(const fs::path& file)
{
    // Not through openFile(), which asks here.
    const Descriptor open(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (open.get() < 0)
        return errno == ENOENT || errno == ENOTDIR ? Result<std::string>(std::string())
                                                   : unreadable(file, errno);
    struct stat info
    {
    };
    if (::fstat(open.get(), &info) != 0)
        return unreadable(file, errno);
    if (!S_ISREG(info.st_mode))
        return failAt(file.string(), 0, "cannot read these settings: this is not a file", "Move it away");
    // Which folders and machines somebody trusts is nobody else's affair. Older versions wrote it for all.
    makePrivate(open.get());
    std::string text;
    std::array<char, 1 << 14> buffer;
    for (;;) {
        const ssize_t got = ::read(open.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return unreadable(file, errno);
        if (got == 0)
            return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > mostBytes)
            return failAt(file.string(), 0, "cannot read these settings: the file is larger than 16 MiB",
                          "Move it away");
    }
}

Status changeSettings(const fs::path& file,
                      const std::function<Result<std::string>(const std::string&)>& change)
{
    SPARSERL_TRY(const auto lock, FileLock::awaitLock(file.string() + ".lock"));
    if (!lock)
        return failAt(file.string(), 0, "another program is changing these settings",
                      "Try again in a moment");
    SPARSERL_TRY(const std::string before, readSettings(file));
    SPARSERL_TRY(const std::string after, change(before));
    return after == before ? Status() : writeFileAtomic(file, after, 0600);
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace sparserl
