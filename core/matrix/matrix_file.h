// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "matrix/csr_view.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Writes a matrix atomically to a binary file that can be mapped. The file has a header (magic, version,
/// dimensions, digest, checksum), then row_ptr, col and val, each aligned to 64 bytes and little-endian.
Status writeMatrixFile(const std::filesystem::path& path, const Csr& matrix, const std::string& digest);
/// Reads such a file. Fails if the file is truncated, damaged or of another format.
Result<Csr> readMatrixFile(const std::filesystem::path& path);

/// Writes the doubles from which a matrix's values were rounded. Replaces the file atomically. The file has a
/// header (magic, version, count, the matrix's digest, checksum), then the values.
Status writeDoublesFile(const std::filesystem::path& path, const std::vector<double>& values,
                        const std::string& digest);
/// Reads the doubles of a matrix. Fails if the file is truncated, damaged or of another format, or if its
/// doubles do not round to the matrix's values.
Result<std::vector<double>> readDoublesFile(const std::filesystem::path& path, const std::string& digest,
                                            const Csr& matrix);

/// A mapped matrix file. Only the parts that are accessed are read from disk. The header and row pointers are
/// checked and copied, so they stay valid whatever happens to the file. Columns and the checksum are not
/// checked, because this would read the whole file. Code that uses a column as an index must check it
/// (densityTile and findEntry do).
class MappedMatrix
{
public:
    static Result<MappedMatrix> open(const std::filesystem::path& path);
    const CsrView& view() const { return m_view; }
    /// Returns the digest that the header states.
    const std::string& digest() const { return m_digest; }
    /// See MappedFile::whole().
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
