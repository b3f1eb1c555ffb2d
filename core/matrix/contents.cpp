// SPDX-License-Identifier: Apache-2.0
#include "matrix/contents.h"

#include "matrix/sizes.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace sparserl {

namespace {

/// Whether there is a matrix, rows, cols, nnz, bytes of a value.
using Header = std::array<std::int64_t, 5>;

} // namespace

Workload workloadOf(const Contents& contents, const TargetVariant& variant)
{
    return {variant, contents.matrix ? sizesOf(*contents.matrix) : contents.sizes};
}

std::size_t packedBytes(const Contents& contents)
{
    if (!contents.matrix)
        return sizeof(Header);
    const Csr& matrix = *contents.matrix;
    const std::size_t bytes = sizeof(Header) + 4 * (matrix.rowPtr.size() + matrix.col.size()) +
                              static_cast<std::size_t>(matrix.valueBytes() * matrix.nnz());
    return (bytes + 7) / 8 * 8;
}

void packContents(const Contents& contents, std::span<std::byte> to)
{
    std::byte* at = to.data();
    const auto put = [&](const void* data, std::size_t size) {
        if (size)
            std::memcpy(at, data, size);
        at += size;
    };
    if (!contents.matrix) {
        const Header sizes{0, contents.sizes.rows, contents.sizes.cols, contents.sizes.nnz, 0};
        return put(sizes.data(), sizeof sizes);
    }
    const Csr& matrix = *contents.matrix;
    const Header sizes{1, matrix.rows, matrix.cols, matrix.nnz(), matrix.valueBytes()};
    put(sizes.data(), sizeof sizes);
    put(matrix.rowPtr.data(), matrix.rowPtr.size() * 4);
    put(matrix.col.data(), matrix.col.size() * 4);
    visitValues(matrix, [&](const auto& numbers) {
        put(numbers.data(), static_cast<std::size_t>(matrix.valueBytes() * matrix.nnz()));
    });
}

Result<Contents> unpackContents(std::span<const std::byte> from)
{
    Header sizes{};
    constexpr std::int64_t limit = 2147483647;
    if (from.size() >= sizeof sizes)
        std::memcpy(sizes.data(), from.data(), sizeof sizes);
    const auto [isMatrix, rows, cols, nnz, valueBytes] = sizes;
    if (from.size() < sizeof sizes || isMatrix < 0 || isMatrix > 1 || rows < 0 || cols < 0 || nnz < 0 ||
        rows >= limit || cols > limit || nnz > limit)
        return fail("shared contents are damaged");
    if (isMatrix == 0)
        return Contents{nullptr, {.rows = rows, .cols = cols, .nnz = nnz}};
    if ((valueBytes != sizeof(float) && valueBytes != sizeof(double)) ||
        from.size() < sizeof sizes + 4 * static_cast<std::size_t>(rows + 1) +
                          static_cast<std::size_t>((4 + valueBytes) * nnz))
        return fail("a shared matrix is damaged");
    Csr matrix;
    matrix.rows = static_cast<std::int32_t>(rows);
    matrix.cols = static_cast<std::int32_t>(cols);
    matrix.rowPtr.resize(static_cast<std::size_t>(rows) + 1);
    matrix.col.resize(static_cast<std::size_t>(nnz));
    if (valueBytes == sizeof(double)) {
        matrix.type = ElementType::F64;
        matrix.val64.resize(static_cast<std::size_t>(nnz));
    } else {
        matrix.val.resize(static_cast<std::size_t>(nnz));
    }
    const std::byte* at = from.data() + sizeof sizes;
    const auto get = [&](void* data, std::size_t bytes) {
        if (bytes)
            std::memcpy(data, at, bytes);
        at += bytes;
    };
    get(matrix.rowPtr.data(), matrix.rowPtr.size() * 4);
    get(matrix.col.data(), matrix.col.size() * 4);
    get(matrix.val.data(), matrix.val.size() * sizeof(float));
    get(matrix.val64.data(), matrix.val64.size() * sizeof(double));
    if (!matrix.valid())
        return fail("a shared matrix is damaged");
    return Contents{std::make_shared<const Csr>(std::move(matrix))};
}

} // namespace sparserl
