// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/new_directory.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/new_folders.h"
#include "base/new_place.h"

namespace sparserl {

namespace fs = std::filesystem;

Status writeNewDirectory(const fs::path& directory, const std::function<Status(const fs::path&)>& write)
{
    SPARSERL_CHECK(checkFree(directory, "folder"));
    fs::path target = fs::absolute(directory).lexically_normal();
    if (target.filename().empty())
        target = target.parent_path();
    NewFolders folders;
    SPARSERL_CHECK(folders.make(target.parent_path()));
    SPARSERL_TRY(auto temporary, TempDir::create(".export", target.parent_path()));
    SPARSERL_CHECK(write(temporary.path()));
    SPARSERL_CHECK(syncDirectory(temporary.path()));
    std::error_code error;
    fs::permissions(temporary.path(), fs::perms(0755), error);
    renameEntry(temporary.path(), target, error);
    if (error)
        return failAt(directory.string(), 0, "the folder cannot be put in place: " + error.message(),
                      "Check the folder's permissions");
    temporary.release();
    return syncDirectory(target.parent_path());
}

} // namespace sparserl
