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

/// The default limit of readFile(), larger than any text, list or settings file that a person or this program
/// writes. A sparse file costs its sender nothing, but reading it takes several times its size in memory.
constexpr std::uint64_t longestText = std::uint64_t(256) << 20;

/// Reads a whole file as bytes. Fails for a folder and, before it reads anything, for a file of more than
/// `limit` bytes.
Result<std::string> readFile(const std::filesystem::path& path, std::uint64_t limit = longestText);

/// Replaces a file atomically: after a crash, the file has either the old or the new contents. Creates
/// missing folders. Writes directly to /dev/stdout and the like; refuses other pipes and devices.
Status writeFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0644);

/// Appends bytes with a single write call, which keeps the lines of several writers apart. Then calls fsync
/// if `sync` is true.
Status appendFile(const std::filesystem::path& path, std::string_view bytes, bool sync = false);

Status makeDirectories(const std::filesystem::path& path);
/// Calls fsync for a folder, which makes renames and new names in the folder durable.
Status syncDirectory(const std::filesystem::path& path);

/// Returns the paths of a folder's entries, sorted by name. Below a project, only links that the user allows
/// are followed.
Result<std::vector<std::filesystem::path>> listDirectory(const std::filesystem::path& path);
/// Like listDirectory(), for callers that ignore the reason for a failure. Returns no paths on failure.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& path);
/// Returns the paths of the regular files in a folder and its subfolders, sorted.
Result<std::vector<std::filesystem::path>> listTree(const std::filesystem::path& path);

/// A temporary folder. The destructor removes it and its contents.
class TempDir
{
public:
    /// Creates the folder in `parent`, or in TMPDIR (or /tmp) if `parent` is empty. In the temporary folder,
    /// first removes folders with this prefix that a killed process of this user left at least an hour ago.
    static Result<TempDir> create(std::string_view prefix = "sparserl",
                                  const std::filesystem::path& parent = {});
    ~TempDir();
    TempDir(TempDir&& other) noexcept;
    TempDir& operator=(TempDir&& other) noexcept;
    const std::filesystem::path& path() const { return m_path; }
    /// Returns the path. The destructor then keeps the folder.
    std::filesystem::path release();

private:
    TempDir() = default;
    std::filesystem::path m_path;
    int m_lock = -1; ///< Descriptor of the folder. Its lock marks the folder as in use.
};

/// Compresses bytes into the zlib format (RFC 1950).
std::string zlibCompress(std::string_view bytes, int level = 6);
/// The inverse of zlibCompress(). Fails if the data are damaged or the result exceeds `limit` bytes.
Result<std::string> zlibDecompress(std::string_view bytes, std::uint64_t limit = std::uint64_t(1) << 30);

/// Encodes bytes as Base64 (RFC 4648) with padding.
std::string base64Encode(std::string_view bytes);
Result<std::string> base64Decode(std::string_view text);

} // namespace sparserl
