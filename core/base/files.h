// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// More than any text, list or settings that a person or this program writes. A file of holes costs its
/// sender nothing, and what reads it takes several times its size.
constexpr std::uint64_t longestText = std::uint64_t(256) << 20;

/// A whole file as bytes. Fails for a folder, and beyond `limit` bytes before any of them is read.
Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t limit = longestText);

/// Replaces a file at once: the old or the new contents are there after a crash. Makes its folder if missing.
/// Writes to /dev/stdout and the like as they are; elsewhere, what is no file (a pipe, a device) is refused.
Status writeFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0644);

/// Appends with one write call (so that lines of several writers do not mix) and, if asked, fsync.
Status appendFile(const std::filesystem::path& path, std::string_view bytes, bool sync = false);

Status makeDirectories(const std::filesystem::path& path);
/// fsync of a folder: makes renames and new names in it durable.
Status syncDirectory(const std::filesystem::path& path);

/// Paths of the entries of a folder, sorted by name. Below a project no link is followed that the user does
/// not allow.
Result<std::vector<std::filesystem::path>> listDirectory(const std::filesystem::path& path);
/// The same where it makes no difference why nothing can be listed.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& path);
/// Paths of the regular files in a folder and in those below it, sorted.
Result<std::vector<std::filesystem::path>> listTree(const std::filesystem::path& path);

/// A fresh folder that is removed with everything in it at the end of its life.
class TempDir
{
public:
    /// Under `parent`, or under TMPDIR (else /tmp) where that is empty. There, folders of this prefix that a
    /// killed process of this user left an hour ago or earlier are removed first.
    static Result<TempDir> create(std::string_view prefix = "sparserl",
                                  const std::filesystem::path& parent = {});
    ~TempDir();
    TempDir(TempDir&& other) noexcept;
    TempDir& operator=(TempDir&& other) noexcept;
    const std::filesystem::path& path() const { return m_path; }
    /// The folder stays.
    std::filesystem::path release();

private:
    TempDir() = default;
    std::filesystem::path m_path;
    int m_lock = -1; ///< The folder, open and locked: in use.
};

/// zlib format (RFC 1950).
std::string zlibCompress(std::string_view bytes, int level = 6);
/// Inverse of zlibCompress; fails on damaged data or more than `limit` bytes.
Result<std::string> zlibDecompress(std::string_view bytes, std::uint64_t limit = std::uint64_t(1) << 30);

/// RFC 4648 with padding.
std::string base64Encode(std::string_view bytes);
Result<std::string> base64Decode(std::string_view text);

} // namespace sparserl
