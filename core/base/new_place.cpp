// SPDX-License-Identifier: Apache-2.0
#include "base/new_place.h"

#include "base/beneath.h"
#include "base/file_error.h"
#include "base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace sparserl {

namespace {

template <typename Check>
Status checkEach(std::initializer_list<std::filesystem::path> places, const Check& check)
{
    for (const auto& place : places) {
        SPARSERL_CHECK(check(place));
    }
    return {};
}

/// Fails if nothing can be created at `place`: of the folders on the way to it, the last one that exists must
/// accept new files.
Status checkParent(const std::filesystem::path& place)
{
    std::error_code code;
    std::filesystem::path folder = std::filesystem::absolute(place, code).parent_path();
    if (code)
        return fail(fileError("cannot write here", place, code.value()));
    Entry there;
    for (;; folder = folder.parent_path()) {
        SPARSERL_TRY(there, lookAt(folder));
        if (there.exists || !folder.has_relative_path())
            break;
    }
    if (!there.folder)
        return failAt(folder.string(), 0, "there is a file where a folder should go", "Choose another place");
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        return fail(fileError("cannot write here", folder, errno));
    return {};
}

} // namespace

Status checkNewFile(const std::filesystem::path& file)
{
    if (file.empty())
        return {};
    SPARSERL_TRY(const auto there, lookAt(file));
    if (there.folder)
        return failAt(file.string(), 0, "there is a folder where the file should go", "Choose another name");
    if (there.regular && there.bytes > 0)
        return failAt(file.string(), 0, "this file is there already",
                      "Choose another name, or remove the file first");
    const bool isStream = there.exists && !there.regular; // it is opened, not replaced
    return isStream ? Status() : checkParent(file);
}

Status checkNewFolder(const std::filesystem::path& folder)
{
    if (folder.empty())
        return {};
    SPARSERL_TRY(const auto there, lookAt(folder));
    if (!there.exists)
        return checkParent(folder);
    if (!there.folder)
        return failAt(folder.string(), 0, "there is a file where the folder should go",
                      "Choose another folder");
    SPARSERL_TRY(const auto entries, listDirectory(folder));
    if (!entries.empty())
        return failAt(folder.string(), 0, "the folder is not empty", "Choose a new or empty folder");
    return checkParent(folder / "file");
}

Status checkNewFiles(std::initializer_list<std::filesystem::path> files)
{
    return checkEach(files, checkNewFile);
}

Status checkNewFolders(std::initializer_list<std::filesystem::path> folders)
{
    return checkEach(folders, checkNewFolder);
}

Status checkFree(const std::filesystem::path& place, std::string_view kind)
{
    SPARSERL_TRY(const auto there, lookAt(place));
    std::error_code code;
    const bool link = std::filesystem::is_symlink(std::filesystem::symlink_status(place, code));
    if (!there.exists && !link)
        return checkParent(place);
    return failAt(place.string(), 0,
                  there.exists ? "this exists already" : "this is a link that leads nowhere",
                  fmt::format("Name a {} that does not exist yet", kind));
}

} // namespace sparserl
