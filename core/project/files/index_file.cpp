// SPDX-License-Identifier: Apache-2.0
#include "project/files/index_file.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/free_name.h"
#include "project/files/file_handle.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

fs::path readyPath(const fs::path& file)
{
    return file.string() + ".ready";
}

Status removeWithCompanions(const fs::path& file)
{
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        std::error_code code;
        removeEntry(file.string() + suffix, code);
        if (code)
            return fail(systemError("remove", file.string() + suffix, code.value()));
    }
    return {};
}

fs::path requestPath(const fs::path& project)
{
    return project / "index.rebuild";
}

} // namespace

void requestRebuild(const fs::path& project)
{
    (void)appendFile(requestPath(project), "");
}

bool takeRebuildRequest(const fs::path& project)
{
    std::error_code code;
    return removeEntry(requestPath(project), code);
}

bool hasRebuildRequest(const fs::path& project)
{
    return glance(requestPath(project)).exists;
}

FileIdentity identityOf(const fs::path& file)
{
    struct stat info
    {
    };
    if (::stat(file.c_str(), &info) != 0)
        return {};
    return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)};
}

IndexCompanions companionsOf(const fs::path& file)
{
    return {identityOf(file.string() + "-wal"), identityOf(file.string() + "-shm")};
}

void removeCompanions(const fs::path& file, const IndexCompanions& these)
{
    const IndexCompanions found = companionsOf(file);
    std::error_code ignored; // one that stays is found to be strange by who opens it
    if (found.log == these.log)
        removeEntry(file.string() + "-wal", ignored);
    if (found.shared == these.shared)
        removeEntry(file.string() + "-shm", ignored);
}

Status quarantineIndex(const fs::path& file)
{
    std::error_code code;
    const std::string target = firstFree([&](int n) { return fmt::format("{}.broken-{}", file.string(), n); },
                                         [](const std::string& place) { return glance(place).exists; });
    // The database goes first: where a companion is left over by a crash, SQLite sees an empty database with
    // it and drops it.
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        const fs::path from = file.string() + suffix;
        if (!glance(from).exists)
            continue;
        renameEntry(from, target + suffix, code);
        if (code)
            return failAt(from.string(), 0, "the damaged index cannot be moved aside: " + code.message(),
                          "Delete it yourself; it will be rebuilt");
    }
    return {};
}

fs::path newIndexPath(const fs::path& file)
{
    return file.string() + ".new";
}

Status swapIndex(const fs::path& file)
{
    std::error_code code;
    renameEntry(newIndexPath(file), readyPath(file), code);
    if (code)
        return fail(systemError("put the new index into its place", file, code.value()));
    SPARSERL_CHECK(syncDirectory(file.parent_path()));
    return finishIndexSwap(file);
}

Status finishIndexSwap(const fs::path& file)
{
    std::error_code code;
    if (glance(readyPath(file)).exists) {
        // A log of the old database must never meet the new one.
        for (const char* suffix : {"-wal", "-shm", "-journal"})
            removeEntry(file.string() + suffix, code);
        if (glance(file).folder) {
            SPARSERL_CHECK(quarantineIndex(file));
        }
        renameEntry(readyPath(file), file, code);
        if (code)
            return fail(systemError("put the new index into its place", file, code.value()));
        SPARSERL_CHECK(syncDirectory(file.parent_path()));
    }
    return removeWithCompanions(newIndexPath(file));
}

} // namespace sparserl
