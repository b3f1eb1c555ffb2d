// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

// A project that this user has neither made nor used on this machine is open for reading: nothing below it is
// written (openFile() and its relatives refuse it), so that no work begins, no host is contacted and no other
// file is named by it. The same holds for the folder of a run that lies in no project. What the user made
// here is trusted from the start; the rest once the user says so.
namespace sparserl {

/// The projects that are trusted, a line each, in the user's settings.
std::filesystem::path trustedFile();

/// What tells a folder from every other, of the same name or with the same contents: number and time of
/// birth, which no archive and no copy brings along, and "@" with its file system, which another disk in the
/// same place does not have. Where the file system does not know the birth, "-" stands for it. Empty: there
/// is no such folder.
std::string folderIdentity(const std::filesystem::path& folder);

/// Whether the user trusts this project folder: one that was made or allowed here (by what the file system
/// says of the folder itself, so that a moved one still is and another one in its place is not), the
/// quickstart that came with the program, or any where SPARSERL_TRUST=all is set.
/// An Error says why the list of trusted projects cannot be read.
Result<bool> trustOf(const std::filesystem::path& project);
/// Trusts a project folder from now on; it need not hold a project yet.
Status trustProject(const std::filesystem::path& project);
/// Fails with a sentence where a project, or a run of no project, that `path` lies in, or is, is not trusted
/// (trustRootsAround()).
Status requireTrust(const std::filesystem::path& path);
/// Where one that `path` lies in is not trusted, whatever `path` is itself.
Status requireTrustAbove(const std::filesystem::path& path);

/// The quickstart project that was installed with this program or that it was built with, or empty.
std::filesystem::path bundledProject();

} // namespace sparserl
