// SPDX-License-Identifier: Apache-2.0
#include "base/new_place.h"

#include "base/beneath.h"
#include "base/files.h"

#include <fmt/format.h>
#include <system_error>

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
    return {};
}

Status checkNewFolder(const std::filesystem::path& folder)
{
    if (folder.empty())
        return {};
    SPARSERL_TRY(const auto there, lookAt(folder));
    if (!there.exists)
        return {};
    if (!there.folder)
        return failAt(folder.string(), 0, "there is a file where the folder should go",
                      "Choose another folder");
    SPARSERL_TRY(const auto entries, listDirectory(folder));
    if (!entries.empty())
        return failAt(folder.string(), 0, "the folder is not empty", "Choose a new or empty folder");
    return {};
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
        return {};
    return failAt(place.string(), 0,
                  there.exists ? "this exists already" : "this is a link that leads nowhere",
                  fmt::format("Name a {} that does not exist yet", kind));
}

} // namespace sparserl
