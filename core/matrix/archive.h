// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/byte_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Reads members of tar archives (plain or gzip) and zip archives in place. Nothing is written to disk, so the
// member names and links in an archive are harmless. For use by the readers.
namespace sparserl {

bool looksZip(std::string_view head);
/// Returns true for a tar archive of any kind, which it recognises by the checksum of the first header.
/// `head` needs 512 bytes.
bool looksTar(std::string_view head);

struct ArchiveMember
{
    std::string name;       ///< The name in the archive, made printable.
    std::size_t index = 0;  ///< Position among all entries of the archive.
    std::int64_t bytes = 0; ///< Size as declared in the archive.
};

class Archive
{
public:
    enum class Kind
    {
        Tar, ///< A tar archive, plain or gzip.
        Zip
    };
    /// Lists the files in an archive, without folders, links and devices. Fails if the archive is damaged or
    /// encrypted, has more than 10,000 entries, or expands suspiciously far. `bytes` must outlive the archive
    /// and its sources.
    static Result<Archive> open(std::string_view bytes, Kind kind, const std::string& name,
                                const CancelToken& cancel, const Progress& progress);

    Kind kind() const { return m_kind; }
    const std::vector<ArchiveMember>& members() const { return m_members; }
    /// Returns a source of the bytes of a member. Messages contain `name`.
    Result<std::unique_ptr<ByteSource>> source(const ArchiveMember& member, const std::string& name) const;

private:
    std::string_view m_bytes;
    Kind m_kind = Kind::Tar;
    std::string m_name;
    std::vector<ArchiveMember> m_members;
};

/// Returns the member that holds the matrix. It is the only file, the only file with a matrix suffix, or the
/// file that has the name of its folder or of the archive, as in the SuiteSparse collection (cant/cant.mtx
/// beside cant/cant_b.mtx). Otherwise returns an Error with a remedy.
Result<ArchiveMember> matrixOf(const Archive& archive, const std::string& name);

} // namespace sparserl
