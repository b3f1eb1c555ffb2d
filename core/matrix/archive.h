// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/byte_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Members of tar (plain or gzip) and zip archives, read where they lie: nothing is ever written to a disk, so
// what a member is called, and what links an archive holds, is of no consequence. Used by the readers.
namespace sparserl {

bool looksZip(std::string_view head);
/// By the checksum of the first header, which every kind of tar has; needs 512 bytes.
bool looksTar(std::string_view head);

struct ArchiveMember
{
    std::string name;       ///< As the archive has it, printable.
    std::size_t index = 0;  ///< Among all entries.
    std::int64_t bytes = 0; ///< As the archive says.
};

class Archive
{
public:
    enum class Kind
    {
        Tar, ///< Plain or gzip.
        Zip
    };
    /// Lists its files: not folders, links and devices. Refuses what is damaged, encrypted, has more than
    /// 10,000 entries or expands as no matrix does. `bytes` must outlive it and its sources.
    static Result<Archive> open(std::string_view bytes, Kind kind, const std::string& name,
                                const CancelToken& cancel, const Progress& progress);

    Kind kind() const { return m_kind; }
    const std::vector<ArchiveMember>& members() const { return m_members; }
    /// The bytes of a member; `name` is that of messages.
    Result<std::unique_ptr<ByteSource>> source(const ArchiveMember& member, const std::string& name) const;

private:
    std::string_view m_bytes;
    Kind m_kind = Kind::Tar;
    std::string m_name;
    std::vector<ArchiveMember> m_members;
};

/// The member that is the matrix: the only file, the only one that is called like a matrix, or the one that
/// is called like its folder or the archive, as in the SuiteSparse collection (cant/cant.mtx beside
/// cant/cant_b.mtx). Else a sentence that says what to do.
Result<ArchiveMember> matrixOf(const Archive& archive, const std::string& name);

} // namespace sparserl
