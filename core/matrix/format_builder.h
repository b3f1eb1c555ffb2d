// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/formats.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

// Shared by the code that builds storage formats; not for use by other folders.
namespace sparserl::formats {

/// The rows from which a format is built: all rows of the matrix, or a part of them. A position counts these
/// rows; row() returns the row of the matrix at a position.
class Rows
{
public:
    Rows(const Csr& matrix, std::optional<std::span<const std::int32_t>> part)
        : m_matrix(matrix)
        , m_part(part)
    {
        m_count = part ? static_cast<std::int64_t>(part->size()) : matrix.rows;
        if (part) {
            for (const std::int32_t row : *part) {
                m_nnz += matrix.rowLength(row);
            }
        } else {
            m_nnz = matrix.nnz();
        }
    }
    const Csr& matrix() const { return m_matrix; }
    bool isPart() const { return m_part.has_value(); }
    std::int64_t count() const { return m_count; }
    std::int64_t nnz() const { return m_nnz; }
    std::int32_t row(std::int64_t position) const
    {
        return m_part ? (*m_part)[static_cast<std::size_t>(position)] : static_cast<std::int32_t>(position);
    }
    std::int32_t length(std::int64_t position) const { return m_matrix.rowLength(row(position)); }
    std::int32_t begin(std::int64_t position) const { return m_matrix.rowPtr[row(position)]; }
    std::int32_t end(std::int64_t position) const { return m_matrix.rowPtr[row(position) + 1]; }
    std::int32_t maxLength() const;
    /// Returns the count() + 1 offsets of the rows' entries in arrays that store only these rows.
    std::vector<std::int32_t> offsets() const;
    /// Returns the positions first..last-1 in order of row length, longest first. Rows of equal length keep
    /// their order.
    std::vector<std::int32_t> longestFirst(std::int64_t first, std::int64_t last) const;

private:
    const Csr& m_matrix;
    std::optional<std::span<const std::int32_t>> m_part;
    std::int64_t m_count = 0;
    std::int64_t m_nnz = 0;
};

/// Adds up the bytes that a format needs, before they are allocated. The sum is exact for all counts below
/// 2^62.
class Budget
{
public:
    explicit Budget(std::int64_t limit)
        : m_limit(limit)
    {
    }
    /// Adds an array of `count` elements of `size` bytes.
    void add(std::int64_t count, std::int64_t size);
    /// Adds an array that is addressed by 32-bit offsets. Unlike after add(), check() also fails if the array
    /// has 2^31 elements or more.
    void addIndexed(std::int64_t count, std::int64_t size);
    /// Fails if the format exceeds its limits.
    Status check(std::string_view kind) const;

private:
    std::int64_t m_limit;
    std::int64_t m_total = 0; ///< Saturates.
    bool m_tooManyEntries = false;
};

/// Returns a * b, or 2^62 if the product is larger.
std::int64_t product(std::int64_t a, std::int64_t b);
inline std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return a / b + (a % b != 0);
}

template <typename T>
constexpr ElementType elementTypeOf();
template <>
constexpr ElementType elementTypeOf<std::int32_t>()
{
    return ElementType::I32;
}
template <>
constexpr ElementType elementTypeOf<std::uint32_t>()
{
    return ElementType::U32;
}
template <>
constexpr ElementType elementTypeOf<std::uint16_t>()
{
    return ElementType::U16;
}

/// Appends an array of zeros and returns its elements. The span stays valid, because moving a vector keeps
/// its buffer.
template <typename T>
std::span<T> addArray(FormatData& data, std::string name, std::int64_t count)
{
    FormatArray array;
    array.name = std::move(name);
    array.type = elementTypeOf<T>();
    array.bytes.resize(static_cast<std::size_t>(count) * sizeof(T));
    data.arrays.push_back(std::move(array));
    return {reinterpret_cast<T*>(data.arrays.back().bytes.data()), static_cast<std::size_t>(count)};
}

/// An array of values in the matrix's type, initially zeros.
class ValueArray
{
public:
    ValueArray(FormatData& data, std::string name, std::int64_t count, const Csr& matrix)
        : m_floats(matrix.val)
        , m_doubles(matrix.val64)
        , m_wide(matrix.type == ElementType::F64)
    {
        FormatArray array;
        array.name = std::move(name);
        array.type = matrix.type;
        array.bytes.resize(static_cast<std::size_t>(count * matrix.valueBytes()));
        data.arrays.push_back(std::move(array));
        std::byte* const bytes = data.arrays.back().bytes.data();
        m_outFloats = reinterpret_cast<float*>(bytes);
        m_outDoubles = reinterpret_cast<double*>(bytes);
    }
    /// Sets element `at` to value `k` of the matrix.
    void take(std::int64_t at, std::int64_t k) const
    {
        if (m_wide)
            m_outDoubles[at] = m_doubles[static_cast<std::size_t>(k)];
        else
            m_outFloats[at] = m_floats[static_cast<std::size_t>(k)];
    }

private:
    std::span<const float> m_floats;
    std::span<const double> m_doubles;
    bool m_wide;
    float* m_outFloats;
    double* m_outDoubles;
};

template <typename T>
void addCopy(FormatData& data, std::string name, std::span<const T> values)
{
    const auto out = addArray<T>(data, std::move(name), static_cast<std::int64_t>(values.size()));
    std::copy(values.begin(), values.end(), out.begin());
}

Result<FormatData> buildSell(const Rows& rows, std::int64_t slice, std::int64_t sigma, bool narrow,
                             Budget budget);
Result<FormatData> buildCsr16(const Rows& rows, Budget budget);
Result<FormatData> buildCsr5(const Rows& rows, std::int64_t sigma, Budget budget);
Result<FormatData> buildTiles(const Rows& rows, std::int64_t items, Budget budget);
Result<FormatData> buildBlocks(const Rows& rows, std::int64_t nnz, Budget budget);
Result<FormatData> buildBsr(const Csr& matrix, std::int64_t block, Budget budget);
Result<FormatData> buildWindows(const Csr& matrix, std::int64_t rows, Budget budget);
Result<FormatData> buildPanels(const Rows& rows, std::int64_t width, Budget budget);

} // namespace sparserl::formats
