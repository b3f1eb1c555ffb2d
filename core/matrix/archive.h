// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/byte_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Reads members of tar (plain or gzip) and zip archives in place. Nothing is written to disk, so member names
// and links in an archive are harmless. Used by the readers.
namespace sparserl {

bool looksZip(std::string_view head);
/// Recognizes any kind of tar by the checksum of its first header. Needs 512 bytes.
bool looksTar(std::string_view head);

struct ArchiveMember
{
    std::string name;       ///< As in the archive, made printable.
    std::size_t index = 0;  ///< Position among all entries.
    std::int64_t bytes = 0; ///< As declared in the archive.
};

class Archive
{
public:
    enum class Kind
    {
        Tar, ///< Plain or gzip.
        Zip
    };
    /// Lists the files of an archive, without folders, links and devices. Refuses an archive that is damaged,
    /// encrypted, has more than 10,000 entries or expands suspiciously far. `bytes` must outlive the archive
    /// and its sources.
    static Result<Archive> open(std::string_view bytes, Kind kind, const std::string& name,
                                const CancelToken& cancel, const Progress& progress);

    Kind kind() const { return m_kind; }
    const std::vector<ArchiveMember>& members() const { return m_members; }
    /// The bytes of a member. `name` appears in messages.
    Result<std::unique_ptr<ByteSource>> source(const ArchiveMember& member, const std::string& name) const;

private:
    std::string_view m_bytes;
    Kind m_kind = Kind::Tar;
    std::string m_name;
    std::vector<ArchiveMember> m_members;
};

/// The member that holds the matrix: the only file, the only file with a matrix suffix, or the file named
/// like its folder or the archive, as in the SuiteSparse collection (cant/cant.mtx beside cant/cant_b.mtx).
/// Otherwise an Error with a remedy.
Result<ArchiveMember> matrixOf(const Archive& archive, const std::string& name);

} // namespace sparserl
