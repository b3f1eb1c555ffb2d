// SPDX-License-Identifier: Apache-2.0
// Binary files of PETSc: MatView and MatLoad of sequential AIJ matrices, all numbers big-endian:
// MAT_FILE_CLASSID (1211216), rows, columns, non-zeros (32-bit each), lengths of rows, column indices,
// values. Vectors and index sets may follow: VEC_FILE_CLASSID (1211214), length, values; IS_FILE_CLASSID
// (1211218), length, indices. Nothing in a file tells the size of a value, so it must follow from the
// file's end (PETSc's manual pages of MatLoad, VecLoad and ISLoad).
#include "matrix/readers.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace sparserl {
namespace {

constexpr std::uint32_t matrixClass = 1211216, vectorClass = 1211214, indexSetClass = 1211218;
constexpr std::size_t header = 16;

template <typename Unsigned>
Unsigned load(std::string_view bytes, std::size_t at)
{
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
        value = static_cast<Unsigned>(value << 8) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::int64_t index(std::string_view bytes, std::size_t at)
{
    return std::bit_cast<std::int32_t>(load<std::uint32_t>(bytes, at));
}

/// Where the object at `at` ends with values of so many bytes; nothing: there is none that is known.
std::optional<std::size_t> endOfObject(std::string_view bytes, std::size_t at, std::size_t scalar)
{
    const auto room = [&](std::size_t from, std::uint64_t count, std::size_t size) {
        return from <= bytes.size() && count <= (bytes.size() - from) / size;
    };
    if (!room(at, 2, 4))
        return std::nullopt;
    const auto kind = load<std::uint32_t>(bytes, at);
    if (kind != matrixClass) {
        const std::int64_t count = index(bytes, at + 4);
        const std::size_t size = kind == indexSetClass ? 4 : scalar;
        if ((kind != vectorClass && kind != indexSetClass) || count < 0 ||
            !room(at + 8, static_cast<std::uint64_t>(count), size))
            return std::nullopt;
        return at + 8 + static_cast<std::size_t>(count) * size;
    }
    if (!room(at, 4, 4))
        return std::nullopt;
    const std::int64_t rows = index(bytes, at + 4), cols = index(bytes, at + 8),
                       entries = index(bytes, at + 12);
    std::size_t end = at + header;
    if (rows < 0 || cols < 0 || entries < -1)
        return std::nullopt;
    const auto values = static_cast<std::uint64_t>(entries < 0 ? rows * cols : entries);
    if (entries >= 0) {
        if (!room(end, static_cast<std::uint64_t>(rows) + values, 4))
            return std::nullopt;
        std::int64_t sum = 0;
        for (std::int64_t row = 0; row < rows; ++row)
            sum += index(bytes, end + 4 * static_cast<std::size_t>(row));
        if (sum != entries)
            return std::nullopt;
        end += 4 * (static_cast<std::size_t>(rows) + values);
    }
    if (!room(end, values, scalar))
        return std::nullopt;
    return end + static_cast<std::size_t>(values) * scalar;
}

/// Whether the values that begin at `at` may have this size: objects that are known follow, to the file's
/// end.
bool explains(std::string_view bytes, std::size_t at, std::size_t count, std::size_t scalar)
{
    if (at > bytes.size() || count > (bytes.size() - at) / scalar)
        return false;
    std::optional<std::size_t> end = at + count * scalar;
    while (end && *end < bytes.size())
        end = endOfObject(bytes, *end, scalar);
    return end.has_value();
}

} // namespace

bool looksPetsc(std::string_view head)
{
    if (head.size() < 4)
        return false;
    const auto first = load<std::uint32_t>(head, 0);
    const std::uint32_t swapped = first << 24 | (first & 0xff00) << 8 | (first >> 8 & 0xff00) | first >> 24;
    return first == matrixClass || first == vectorClass || swapped == matrixClass ||
           (head.size() >= 8 && first == 0 && load<std::uint32_t>(head, 4) == matrixClass);
}

Result<MatrixFile> readPetsc(std::string_view bytes, const std::string& name, std::int64_t memory,
                             ReadWarnings& warnings)
{
    const auto refuse = [&](std::string what, std::string remedy) {
        return failAt(name, 0, std::move(what), std::move(remedy));
    };
    const auto first = load<std::uint32_t>(bytes, 0);
    if (first == 0)
        return refuse("this file of PETSc has 64-bit indices, which are not read",
                      "Write it with a PETSc that was configured without --with-64-bit-indices");
    if (first == vectorClass)
        return refuse("this file of PETSc holds a vector, not a matrix", "Write the matrix with MatView");
    if (first != matrixClass)
        return refuse("this file of PETSc is little-endian, and PETSc's own are big-endian",
                      "Write it with MatView and a binary viewer of PETSc");
    const auto truncated = [&] {
        return refuse("this file of PETSc is truncated", "Download or copy it again");
    };
    if (bytes.size() < header)
        return truncated();
    const std::int64_t rows = index(bytes, 4), cols = index(bytes, 8), entries = index(bytes, 12);
    if (entries == -1)
        return refuse("this file of PETSc holds a dense matrix",
                      "Convert it with MatConvert to MATAIJ and write that");
    if (rows < 0 || cols < 0 || entries < 0)
        return refuse(fmt::format("{} x {} with {} entries is not a valid size", rows, cols, entries),
                      "Write it again");
    const std::size_t lengths = header, columns = lengths + 4 * static_cast<std::size_t>(rows);
    const std::size_t values = columns + 4 * static_cast<std::size_t>(entries);
    if (values > bytes.size())
        return truncated();
    const auto count = static_cast<std::size_t>(entries);
    const bool doubles = explains(bytes, values, count, 8), floats = explains(bytes, values, count, 4),
               complex = explains(bytes, values, count, 16);
    const std::string alone = "Write the matrix alone into a file: MatView with a binary viewer of its own";
    if (int(doubles) + int(floats) + int(complex) > 1 && count > 0)
        return refuse("the values could be numbers of more than one size, and the file does not say which "
                      "size is meant",
                      alone);
    if (complex && !doubles && !floats)
        return refuse("the values are complex; kernels here work on real numbers",
                      "Write the real part with a PETSc of real numbers");
    if (!doubles && !floats) {
        if (count > (bytes.size() - values) / 4)
            return truncated();
        return refuse("the data after the matrix is not a matrix, vector or index set that ends with the "
                      "file, so the size of its values is unknown: the file may be truncated",
                      alone);
    }
    if (values + (doubles ? 8 : 4) * count < bytes.size())
        warnings.note(ReadWarnings::Kind::AfterMatrix, 0);
    SPARSERL_CHECK(checkSize(name, 0, rows, cols, entries, memory));
    SPARSERL_CHECK(checkMemory(name, 0, rows, cols, 8 * (rows + cols) + 32 * entries, memory));
    MatrixFile out;
    Triplets triplets;
    triplets.row.reserve(count);
    triplets.col.reserve(count);
    triplets.value.reserve(count);
    std::size_t at = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t length = index(bytes, lengths + 4 * static_cast<std::size_t>(row));
        if (length < 0 || length > entries - static_cast<std::int64_t>(at))
            return refuse(fmt::format("row {} (from 0) has {} entries, of {} in all", row, length, entries),
                          "The file is damaged: write it again");
        for (std::int64_t k = 0; k < length; ++k, ++at) {
            const std::int64_t col = index(bytes, columns + 4 * at);
            if (col < 0 || col >= cols)
                return refuse(
                    fmt::format("the entry ({}, {}) is outside of the matrix of {} x {} (numbers from 0)",
                                row, col, rows, cols),
                    "The file is damaged: write it again");
            const double value =
                !doubles ? double(std::bit_cast<float>(load<std::uint32_t>(bytes, values + 4 * at)))
                         : std::bit_cast<double>(load<std::uint64_t>(bytes, values + 8 * at));
            SPARSERL_CHECK(checkValue(name, 0, value, row, col));
            out.source.explicitZeros += value == 0 ? 1 : 0;
            triplets.row.push_back(static_cast<std::int32_t>(row));
            triplets.col.push_back(static_cast<std::int32_t>(col));
            triplets.value.push_back(value);
        }
    }
    if (at != count)
        return refuse(fmt::format("the rows have {} entries together, and the file promises {}", at, entries),
                      "The file is damaged: write it again");
    out.source.format = "petsc";
    out.source.storage = "csr";
    out.source.field = "real";
    out.source.symmetry = "general";
    out.source.storedEntries = entries;
    SPARSERL_TRY(out.matrix,
                 assembleChecked(name, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols),
                                 std::move(triplets), out.source.duplicates));
    return out;
}

} // namespace sparserl
