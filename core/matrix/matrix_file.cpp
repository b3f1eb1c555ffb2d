// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_file.h"

#include "base/files.h"
#include "base/hash.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::uint32_t currentVersion = 1;
constexpr std::size_t alignment = 64;

/// First bytes of a matrix file; little-endian, as every machine we support.
struct Header
{
    std::array<char, 8> magic{'S', 'R', 'L', 'C', 'S', 'R', '\r', '\n'};
    std::uint32_t version = currentVersion;
    std::uint32_t checksum = 0; ///< CRC-32 of everything behind the header.
    std::int32_t rows = 0, cols = 0;
    std::int64_t nnz = 0;
    std::array<char, 64> digest{};
    std::array<char, 32> reserved{};
};
static_assert(sizeof(Header) == 128 && sizeof(Header) % alignment == 0);

std::size_t padded(std::size_t bytes)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

struct Layout
{
    std::size_t rowPtr = 0, col = 0, val = 0, end = 0; ///< Offsets from the start of the file.
    Layout(std::int32_t rows, std::int64_t nnz)
    {
        rowPtr = sizeof(Header);
        col = rowPtr + padded(4 * (static_cast<std::size_t>(rows) + 1));
        val = col + padded(4 * static_cast<std::size_t>(nnz));
        end = val + padded(4 * static_cast<std::size_t>(nnz));
    }
};

tl::unexpected<Error> refused(const std::filesystem::path& path, std::string what)
{
    return failAt(path.string(), 0, std::move(what), "Remove it and import the matrix again");
}

Result<Header> readHeader(const MappedFile& mapped, const std::filesystem::path& path)
{
    const auto refuse = [&path](std::string what) { return refused(path, std::move(what)); };
    Header header;
    const auto magic = header.magic;
    if (mapped.size() < sizeof header)
        return refuse("this matrix file is truncated");
    std::memcpy(&header, mapped.data(), sizeof header);
    if (header.magic != magic)
        return refuse("this is not a matrix file of the workbench");
    if (header.version != currentVersion)
        return refuse(fmt::format("this matrix file has version {}, this program reads version {}",
                                  header.version, currentVersion));
    if (header.rows < 0 || header.cols < 0 || header.nnz < 0 || header.nnz > 2147483647)
        return refuse("this matrix file is damaged: impossible sizes");
    const Layout layout(header.rows, header.nnz);
    if (layout.end != mapped.size())
        return refuse(fmt::format("this matrix file is {}: {} bytes instead of {}",
                                  mapped.size() < layout.end ? "truncated" : "damaged", mapped.size(),
                                  layout.end));
    return header;
}

/// First bytes of a file of doubles.
struct DoublesHeader
{
    std::array<char, 8> magic{'S', 'R', 'L', 'D', 'B', 'L', '\r', '\n'};
    std::uint32_t version = 1;
    std::uint32_t checksum = 0; ///< CRC-32 of the values.
    std::int64_t count = 0;
    std::array<char, 64> digest{}; ///< Of the matrix.
    std::array<char, 40> reserved{};
};
static_assert(sizeof(DoublesHeader) == 128);

} // namespace

Status writeDoublesFile(const std::filesystem::path& path, const std::vector<double>& values,
                        const std::string& digest)
{
    const std::size_t size = values.size() * sizeof(double);
    DoublesHeader header;
    header.count = static_cast<std::int64_t>(values.size());
    digest.copy(header.digest.data(), header.digest.size());
    header.checksum = crc32Of(values.data(), size);
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(values.data()), size);
    return writeFileAtomic(path, bytes);
}

Result<std::vector<double>> readDoublesFile(const std::filesystem::path& path, const std::string& digest,
                                            const Csr& matrix)
{
    SPARSERL_TRY(const auto mapped, MappedFile::open(path));
    DoublesHeader header;
    const DoublesHeader own;
    if (mapped.size() < sizeof header)
        return refused(path, "this file of double precision values is truncated");
    std::memcpy(&header, mapped.data(), sizeof header);
    if (header.magic != own.magic)
        return refused(path, "this is not a file of double precision values");
    if (header.version != own.version)
        return refused(path, fmt::format("this file of double precision values has version {}, this program "
                                         "reads version {}",
                                         header.version, own.version));
    if (header.count != matrix.nnz() ||
        std::string_view(header.digest.data(), header.digest.size()) != digest)
        return refused(path, "these double precision values are of another matrix");
    std::vector<double> values(static_cast<std::size_t>(header.count));
    const std::size_t size = values.size() * sizeof(double);
    if (mapped.size() != sizeof header + size ||
        crc32Of(mapped.data() + sizeof header, size) != header.checksum)
        return refused(path, "this file of double precision values is damaged");
    if (size > 0)
        std::memcpy(values.data(), mapped.data() + sizeof header, size);
    const auto rounds = [](double value, float to) { return static_cast<float>(value) == to; };
    if (!std::equal(values.begin(), values.end(), matrix.val.begin(), rounds))
        return refused(path, "these double precision values are of another matrix");
    return values;
}

Status writeMatrixFile(const std::filesystem::path& path, const Csr& matrix, const std::string& digest)
{
    const Layout layout(matrix.rows, matrix.nnz());
    std::string bytes(layout.end, '\0');
    std::memcpy(bytes.data() + layout.rowPtr, matrix.rowPtr.data(), 4 * matrix.rowPtr.size());
    if (matrix.nnz() > 0) {
        std::memcpy(bytes.data() + layout.col, matrix.col.data(), 4 * matrix.col.size());
        std::memcpy(bytes.data() + layout.val, matrix.val.data(), 4 * matrix.val.size());
    }
    Header header;
    header.rows = matrix.rows;
    header.cols = matrix.cols;
    header.nnz = matrix.nnz();
    digest.copy(header.digest.data(), header.digest.size());
    header.checksum = crc32Of(bytes.data() + sizeof header, bytes.size() - sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return writeFileAtomic(path, bytes);
}

Result<Csr> readMatrixFile(const std::filesystem::path& path)
{
    SPARSERL_TRY(const auto mapped, MappedFile::open(path));
    SPARSERL_CHECK(mapped.solid());
    SPARSERL_TRY(const auto header, readHeader(mapped, path));
    const Layout layout(header.rows, header.nnz);
    const auto checksum = crc32Of(mapped.data() + sizeof header, mapped.size() - sizeof header);
    SPARSERL_CHECK(mapped.whole());
    if (checksum != header.checksum)
        return refused(path, "this matrix file is damaged: its checksum is wrong");
    Csr out;
    out.rows = header.rows;
    out.cols = header.cols;
    const auto copy = [&mapped](auto& into, std::size_t offset, std::size_t count) {
        into.resize(count);
        if (count > 0)
            std::memcpy(into.data(), mapped.data() + offset, count * sizeof(into[0]));
    };
    copy(out.rowPtr, layout.rowPtr, static_cast<std::size_t>(header.rows) + 1);
    copy(out.col, layout.col, static_cast<std::size_t>(header.nnz));
    copy(out.val, layout.val, static_cast<std::size_t>(header.nnz));
    SPARSERL_CHECK(mapped.whole());
    if (!out.valid())
        return refused(path, "this matrix file is damaged: its indices contradict each other");
    return out;
}

Result<MappedMatrix> MappedMatrix::open(const std::filesystem::path& path)
{
    SPARSERL_TRY(auto mapped, MappedFile::open(path));
    SPARSERL_CHECK(mapped.solid());
    SPARSERL_TRY(const auto header, readHeader(mapped, path));
    const Layout layout(header.rows, header.nnz);
    CsrView view;
    view.rows = header.rows;
    view.cols = header.cols;
    const std::byte* bytes = mapped.data();
    const auto nnz = static_cast<std::size_t>(header.nnz);
    // The file's alignment of 64 bytes is kept by the mapping, which begins at a page.
    std::vector<std::int32_t> rowPtr(static_cast<std::size_t>(header.rows) + 1);
    std::memcpy(rowPtr.data(), bytes + layout.rowPtr, 4 * rowPtr.size());
    SPARSERL_CHECK(mapped.whole());
    view.rowPtr = rowPtr; // stays where it is when the vector is moved
    view.col = {reinterpret_cast<const std::int32_t*>(bytes + layout.col), nnz};
    view.val = {reinterpret_cast<const float*>(bytes + layout.val), nnz};
    if (view.rowPtr.front() != 0 || view.rowPtr.back() != header.nnz ||
        !std::is_sorted(view.rowPtr.begin(), view.rowPtr.end()))
        return refused(path, "this matrix file is damaged: its row pointers contradict each other");
    return MappedMatrix(std::move(mapped), std::move(rowPtr), view,
                        std::string(header.digest.data(), header.digest.size()));
}

} // namespace sparserl
