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

/// A matrix as a pack lists it.
struct PackEntry
{
    std::string name;      ///< Unique within the pack.
    std::string structure; ///< A class for tables: "power-law/skewed"; may be empty.
    std::string source;    ///< Where it came from; may be empty.
    std::int32_t rows = 0, cols = 0;
    std::int64_t nnz = 0;
    std::string patternDigest;           ///< SHA-256 over dimensions and pattern (matrix/values.h).
    std::uint64_t offset = 0, bytes = 0; ///< Of the compressed pattern, from the end of the index.
};

/// A file with the patterns of many matrices, each delta-coded and compressed with zstd, so that hundreds
/// travel in a few tens of megabytes. Values do not travel: they are seeded from the pattern
/// (matrix/values.h).
///
/// Layout: "SRLPACK1", u32 CRC-32 and u64 length of the index, the index (JSON: {"matrices":[...]}), then the
/// compressed patterns. A pattern is three streams of variable-length integers (7 bits a byte, low first):
/// row lengths; the first column of each non-empty row less that of the one before (zigzag); in-row gaps less
/// one.
class Pack
{
public:
    /// Reads the index only. A truncated, damaged or foreign file is refused with a sentence.
    static Result<Pack> open(const std::filesystem::path& path);
    const std::filesystem::path& path() const { return m_path; }
    const std::vector<PackEntry>& entries() const { return m_entries; }
    const PackEntry* find(std::string_view name) const;
    /// Decodes one and gives it its seeded values; the digest is checked. Safe from several threads. `memory`
    /// bytes may be taken (0: what is free): a few kilobytes can hold two thousand million empty rows.
    Result<Csr> load(const PackEntry& entry, std::int64_t memory = 0) const;

private:
    std::filesystem::path m_path;
    /// The file whose index was read, whatever takes its name meanwhile.
    std::shared_ptr<const Descriptor> m_file;
    std::vector<PackEntry> m_entries;
    std::uint64_t m_dataAt = 0;
};

/// Collects patterns and writes a pack at once.
class PackWriter
{
public:
    /// `level` is zstd's, 1 to 22; 19 takes about a second for each million non-zeros.
    explicit PackWriter(int level = 19)
        : m_level(level)
    {
    }
    /// Compresses the pattern now. Fails where the name is taken.
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
