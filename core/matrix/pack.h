// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/beneath.h"
#include "base/cancel.h"
#include "base/result.h"
#include "matrix/csr.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A matrix in the index of a pack.
struct PackEntry
{
    std::string name;      ///< Unique within the pack.
    std::string structure; ///< Structure class for tables, such as "power-law/skewed"; may be empty.
    std::string source;    ///< Where the matrix comes from; may be empty.
    std::int32_t rows = 0, cols = 0;
    std::int64_t nnz = 0;
    std::string patternDigest; ///< SHA-256 of dimensions and pattern (matrix/values.h).
    std::uint64_t offset = 0,
                  bytes =
                      0; ///< The compressed pattern: its position after the end of the index, and its size.
};

/// A file with the patterns of many matrices, each delta-coded and compressed with zstd. A few hundred
/// patterns fit into some tens of megabytes. Values are not stored; they are seeded from the pattern
/// (matrix/values.h).
///
/// The layout is "SRLPACK1", the CRC-32 (u32) and length (u64) of the index, the index (JSON:
/// {"matrices":[...]}), and the compressed patterns. A pattern consists of three streams of variable-length
/// integers (7 bits per byte, low bits first): the row lengths; the first column of each non-empty row minus
/// the first column of the non-empty row before it (zigzag); and the gaps within rows minus one.
class Pack
{
public:
    /// Opens a pack and reads only its index. Fails if the file is truncated, damaged or of another format.
    static Result<Pack> open(const std::filesystem::path& path);
    const std::filesystem::path& path() const { return m_path; }
    const std::vector<PackEntry>& entries() const { return m_entries; }
    const PackEntry* find(std::string_view name) const;
    /// Decodes a matrix, checks its digest and adds the seeded values. Thread-safe. Uses at most `memory`
    /// bytes (0: the free memory), because a few kilobytes can describe two billion empty rows.
    Result<Csr> load(const PackEntry& entry, std::int64_t memory = 0) const;

private:
    std::filesystem::path m_path;
    /// The opened file. load() uses it even if another file takes its path.
    std::shared_ptr<const Descriptor> m_file;
    std::vector<PackEntry> m_entries;
    std::uint64_t m_dataAt = 0;
};

/// Collects patterns, and writes a pack in one step.
class PackWriter
{
public:
    /// `level` is the compression level of zstd, 1 to 22. Level 19 takes about a second per million
    /// non-zeros.
    explicit PackWriter(int level = 19)
        : m_level(level)
    {
    }
    /// Compresses a pattern immediately. Fails if the pack already has a matrix with this name.
    Status add(const Csr& matrix, std::string name, std::string structure = {}, std::string source = {});
    const std::vector<PackEntry>& entries() const { return m_entries; }
    std::uint64_t bytes() const { return m_data.size(); }
    Status write(const std::filesystem::path& path) const;

private:
    int m_level;
    std::vector<PackEntry> m_entries;
    std::string m_data;
};

} // namespace sparserl
