// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

// Which folders begin what others may have laid out, and which ones this process works in. Both are known for
// the life of the process: another user of the disk may take markers away, or move folders, at any time.
namespace sparserl {

/// The outermost folder above `path` that holds a project.toml or a run.toml, or that this process has taken
/// for such a one before: from there on the path is what others may have laid out. Empty: there is none.
std::filesystem::path outermostProject(const std::filesystem::path& path);

/// While this lives, outermostProject() of what lies below a folder is found out once in this thread: for
/// what looks at thousands of files of one project in one go. Each look costs three system calls for every
/// folder above the project. A marker that is laid meanwhile counts from the next go on.
class SameRoot
{
public:
    explicit SameRoot(const std::filesystem::path& folder);
    ~SameRoot();
    SameRoot(const SameRoot&) = delete;
    SameRoot& operator=(const SameRoot&) = delete;

    /// The outermost project of a plain path, where it lies below the folder; else empty.
    std::filesystem::path of(const std::string& plain) const;

private:
    std::string m_below; ///< With a slash at its end.
    std::filesystem::path m_root;
    const SameRoot* m_outer; ///< The one that holds again after this.
};

/// All project folders that `path` lies in, the outermost first: those that hold a project.toml, or that this
/// process has taken for a project before.
std::vector<std::filesystem::path> projectsAbove(const std::filesystem::path& path);
/// The same with `path` itself where that is one.
std::vector<std::filesystem::path> projectsAround(const std::filesystem::path& path);

/// Takes a folder for a project from now on, wherever it is moved to and whatever becomes of its
/// project.toml.
void rememberProject(const std::filesystem::path& folder);

/// A folder that a program works in, by identity: while this lives, nothing of this process is opened, made,
/// moved or removed below its path unless it is still the same folder (findSpot() fails with ESTALE).
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

    /// Whether the path still names this folder.
    bool isThere() const;

    struct Place;

private:
    explicit HeldFolder(std::shared_ptr<const Place> place);
    std::shared_ptr<const Place> m_place;
};

namespace detail {

/// The path from the root, without "." and "..": below a project no link can make ".." mean anything else.
std::filesystem::path plainPath(const std::filesystem::path& path);

/// Whether a marker in a folder where anybody may make files, such as /tmp, makes what lies there part of a
/// project: only where the folder's owner has laid it, and not for what the user has there among things of
/// another. `nextOwner`: who owns the way on; -1: nothing is there.
bool markerCounts(uid_t user, uid_t folderOwner, uid_t markerOwner, std::int64_t nextOwner);

/// The innermost held folder that a plain path is or lies in, open: its path and descriptor.
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
