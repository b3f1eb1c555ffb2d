// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

// A project that this user has neither created nor used on this machine is read-only: openFile() and the
// related functions refuse to write below it. No work starts in it, no host is contacted for it, and files
// outside it that it names are not read. The same holds for the folder of a run outside a project. Projects
// that the user creates here are trusted from the start, other projects only after the user's consent.
namespace sparserl {

/// The file in the user's settings that lists the trusted projects, one per line.
std::filesystem::path trustedFile();

/// A text that distinguishes a folder from any other, including one with the same name or contents: inode
/// number and birth time, which archives and copies do not preserve, then "@" and the file system, which
/// differs on another disk mounted in the same place. "-" replaces an unknown birth time. Empty if there is
/// no folder.
std::string folderIdentity(const std::filesystem::path& folder);

/// Whether the user trusts this project folder. True for a folder that was created or allowed here (compared
/// by folderIdentity(), so a moved folder stays trusted and a replacement does not), for the quickstart that
/// came with the program, and for any folder if SPARSERL_TRUST=all is set. An Error says why the list of
/// trusted projects cannot be read.
Result<bool> trustOf(const std::filesystem::path& project);
/// Trusts a project folder from now on. It need not contain a project yet.
Status trustProject(const std::filesystem::path& project);
/// Fails if `path` is, or lies in, an untrusted project or an untrusted run outside a project
/// (trustRootsAround()).
Status requireTrust(const std::filesystem::path& path);
/// The same for the folders above `path`; `path` itself is not examined.
Status requireTrustAbove(const std::filesystem::path& path);

/// The quickstart project installed with this program or present in its source tree, or empty.
std::filesystem::path bundledProject();

} // namespace sparserl
