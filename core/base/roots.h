// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

// Tracks the folders whose contents other people may have created, and the folders in use by this process.
// Both stay known until the process ends: another user of the disk may remove markers or move folders at any
// time.
namespace sparserl {

/// The outermost folder above `path` that contains a project.toml or a run.toml, or that this process
/// previously recognized as a project or a run. Other people may have created everything below it. Empty if
/// there is none.
std::filesystem::path outermostProject(const std::filesystem::path& path);

/// Caches outermostProject() in this thread for paths below a folder. Use it in code that examines thousands
/// of files of one project in one pass, because each uncached lookup costs three system calls per folder
/// above the project. A marker created meanwhile takes effect on the next pass.
class SameRoot
{
public:
    explicit SameRoot(const std::filesystem::path& folder);
    ~SameRoot();
    SameRoot(const SameRoot&) = delete;
    SameRoot& operator=(const SameRoot&) = delete;

    /// Returns the outermost project of a plain path (detail::plainPath) below the folder; empty for other
    /// paths.
    std::filesystem::path of(const std::string& plain) const;

private:
    std::string m_below; ///< The folder, with a trailing slash.
    std::filesystem::path m_root;
    const SameRoot* m_outer; ///< The object to restore afterwards.
};

/// All project folders that contain `path`, outermost first: folders with a project.toml, and folders that
/// this process previously recognized as projects.
std::vector<std::filesystem::path> projectsAbove(const std::filesystem::path& path);
/// Like projectsAbove(), but includes `path` itself if it is a project folder.
std::vector<std::filesystem::path> projectsAround(const std::filesystem::path& path);

/// Treats a folder as a project until the process ends, even if it is moved or loses its project.toml.
void rememberProject(const std::filesystem::path& folder);

/// A folder in use, identified by device and inode. While this object exists, the process opens, creates,
/// moves and removes files below the path only if it still leads to the same folder (findSpot() fails with
/// ESTALE).
class HeldFolder
{
public:
    static Result<HeldFolder> hold(const std::filesystem::path& folder);
    HeldFolder(HeldFolder&&) noexcept = default;
    HeldFolder& operator=(HeldFolder&& other) noexcept
    {
        m_place.swap(other.m_place);
        return *this;
    }
    ~HeldFolder();

    /// Whether the path still leads to this folder.
    bool isThere() const;

    struct Place;

private:
    explicit HeldFolder(std::shared_ptr<const Place> place);
    std::shared_ptr<const Place> m_place;
};

namespace detail {

/// The path from the root without "." and "..". No link below a project can change the meaning of "..".
std::filesystem::path plainPath(const std::filesystem::path& path);

/// Whether a marker in a folder where anyone may create files, such as /tmp, turns the files there into a
/// project. A marker counts only if the folder's owner created it. A marker of another user does not count
/// for the user's own files in that folder. `nextOwner` is the owner of the next folder on the path, or -1 if
/// there is none.
bool markerCounts(uid_t user, uid_t folderOwner, uid_t markerOwner, std::int64_t nextOwner);

/// The path and the open descriptor of the innermost held folder that contains a plain path or equals it.
struct Holding
{
    std::shared_ptr<const HeldFolder::Place> place;
    std::string path;
    int folder = -1;
    bool isThere = false;
    explicit operator bool() const { return place != nullptr; }
};
Holding heldAround(const std::string& plain);

} // namespace detail

} // namespace sparserl
