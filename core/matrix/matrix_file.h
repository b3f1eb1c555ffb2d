// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "matrix/csr_view.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Writes a matrix as a binary file: header (magic, version, dimensions, digest, checksum), then row_ptr, col
/// and val, each 64-byte aligned in little-endian order, so that a process can map it. Atomic.
Status writeMatrixFile(const std::filesystem::path& path, const Csr& matrix, const std::string& digest);
/// Reads it back. A truncated, damaged or foreign file is refused with a sentence.
Result<Csr> readMatrixFile(const std::filesystem::path& path);

/// The doubles that a matrix's values were rounded from, in the same way: header (magic, version, their
/// number, the matrix's digest, checksum), then the values. Atomic.
Status writeDoublesFile(const std::filesystem::path& path, const std::vector<double>& values,
                        const std::string& digest);
/// Reads those of a matrix. A truncated, damaged or foreign file, or one whose values round to others than
/// the matrix's, is refused with a sentence.
Result<std::vector<double>> readDoublesFile(const std::filesystem::path& path, const std::string& digest,
                                            const Csr& matrix);

/// Such a file in place: what is looked at is read from the disk, nothing else. Header and row pointers are
/// checked, and kept, so that they hold for as long as this lives, whatever becomes of the file; columns and
/// the checksum are not, since that would read everything: code that follows a column checks it
/// (densityTile and findEntry do).
class MappedMatrix
{
public:
    static Result<MappedMatrix> open(const std::filesystem::path& path);
    const CsrView& view() const { return m_view; }
    /// What its header says.
    const std::string& digest() const { return m_digest; }
    /// As MappedFile::whole().
    Status whole() const { return m_file.whole(); }

private:
    MappedMatrix(MappedFile file, std::vector<std::int32_t> rowPtr, const CsrView& view, std::string digest)
        : m_file(std::move(file))
        , m_rowPtr(std::move(rowPtr))
        , m_view(view)
        , m_digest(std::move(digest))
    {
    }
    MappedFile m_file;
    std::vector<std::int32_t> m_rowPtr;
    CsrView m_view;
    std::string m_digest;
};

} // namespace sparserl
