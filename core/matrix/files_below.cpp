// SPDX-License-Identifier: Apache-2.0
#include "matrix/files_below.h"

#include "base/file_kind.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/roots.h"
#include "base/system_remedy.h"
#include "matrix/file_names.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// What one entry of a folder is.
struct Found
{
    enum class Kind
    {
        Folder,
        File,
        Other ///< Nothing that is imported; `reason` is empty where there is nothing to say about it.
    };
    Kind kind = Kind::Other;
    std::string reason;
    bool failed = false;
};

Found lookAtEntry(const fs::path& path)
{
    using Kind = Found::Kind;
    const bool isCalledSo = isMatrixFileName(path.filename().string());
    const auto strange = [&](std::string reason) {
        return isCalledSo ? Found{Kind::Other, std::move(reason), false} : Found();
    };
    // It may be a folder, whatever it is called.
    const auto failed = [](int error) {
        return Found{Kind::Other, "cannot look at it: " + systemReason(error), true};
    };
    struct stat info
    {
    };
    if (::lstat(path.c_str(), &info) != 0)
        return errno == ENOENT ? Found() : failed(errno); // removed meanwhile
    if (S_ISDIR(info.st_mode))
        return {Kind::Folder, {}, false};
    if (S_ISLNK(info.st_mode)) {
        if (!outermostProject(path).empty()) // who opens it says that it is a link
            return isCalledSo ? Found{Kind::File, {}, false} : Found();
        if (::stat(path.c_str(), &info) != 0)
            return errno == ENOENT || errno == ENOTDIR ? strange("a link that leads nowhere")
                   : errno == ELOOP                    ? strange("a link that leads to itself")
                                                       : failed(errno);
        if (S_ISDIR(info.st_mode)) // followed, it might lead back here
            return {Kind::Other, "a link to a folder", false};
    }
    if (S_ISREG(info.st_mode))
        return isCalledSo ? Found{Kind::File, {}, false} : Found();
    return strange(std::string(strangeKind(info.st_mode)));
}

} // namespace

Result<MatrixFilesBelow> matrixFilesBelow(const fs::path& folder, const CancelToken& cancel)
{
    MatrixFilesBelow below;
    SPARSERL_TRY(auto entries, listDirectory(folder));
    std::vector<fs::path> folders;
    for (;;) {
        for (fs::path& entry : entries) {
            if (cancel.cancelled())
                return below;
            if (entry.filename().native().starts_with('.'))
                continue;
            Found found = lookAtEntry(entry);
            if (found.kind == Found::Kind::Folder)
                folders.push_back(std::move(entry));
            else if (found.kind == Found::Kind::File)
                below.files.push_back(std::move(entry));
            else if (!found.reason.empty())
                below.passedOver.push_back({std::move(entry), std::move(found.reason), found.failed});
        }
        entries.clear();
        if (folders.empty())
            break;
        const fs::path next = std::move(folders.back());
        folders.pop_back();
        if (auto listed = listDirectory(next))
            entries = std::move(*listed);
        else
            below.passedOver.push_back({next, listed.error().what, true});
    }
    std::sort(below.files.begin(), below.files.end());
    std::sort(below.passedOver.begin(), below.passedOver.end(),
              [](const PassedOver& a, const PassedOver& b) { return a.path < b.path; });
    return below;
}

std::string passedOverText(const std::vector<PassedOver>& passedOver, const fs::path& folder)
{
    struct Group
    {
        const PassedOver* first = nullptr;
        std::size_t count = 0;
    };
    std::vector<Group> groups;
    for (const PassedOver& one : passedOver) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
            return other.first->reason == one.reason;
        });
        if (group == groups.end())
            groups.push_back({&one, 1});
        else
            ++group->count;
    }
    std::string text;
    for (const Group& group : groups)
        text += fmt::format("{}{}{} ({})", text.empty() ? "passed over: " : ", ",
                            printableLine(group.first->path.lexically_relative(folder).string()),
                            group.count > 1 ? fmt::format(" and {} more", group.count - 1) : std::string(),
                            group.first->reason);
    return text;
}

} // namespace sparserl
