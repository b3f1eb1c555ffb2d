// SPDX-License-Identifier: Apache-2.0
#include "matrix/contents.h"

#include "matrix/sizes.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sparserl {

namespace {

/// The form, rows, cols, nnz (of a signature: the length of its text), bytes of a value.
using Header = std::array<std::int64_t, 5>;
/// The forms of packed contents.
constexpr std::int64_t onlySizes = 0, matrixForm = 1, signatureForm = 2;

std::size_t padded(std::size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

Result<Contents> unpackSignature(std::span<const std::byte> from, std::size_t length)
{
    if (from.size() < length)
        return fail("the shared signature of an operator is damaged");
    const std::string_view text(reinterpret_cast<const char*>(from.data()), length);
    SPARSERL_TRY(auto signature, parseSignature(text));
    if (formatSignature(signature) != text) // The length of packed contents follows from the contents.
        return fail("the shared signature of an operator is damaged");
    return Contents{nullptr, {}, std::make_shared<const OperatorSignature>(std::move(signature))};
}

} // namespace

Workload workloadOf(const Contents& contents, const TargetVariant& variant)
{
    if (contents.signature)
        return {variant, contents.signature};
    return {variant, contents.matrix ? sizesOf(*contents.matrix) : contents.sizes};
}

std::size_t packedBytes(const Contents& contents)
{
    if (contents.signature)
        return sizeof(Header) + padded(formatSignature(*contents.signature).size());
    if (!contents.matrix)
        return sizeof(Header);
    const Csr& matrix = *contents.matrix;
    const std::size_t bytes = sizeof(Header) + 4 * (matrix.rowPtr.size() + matrix.col.size()) +
                              static_cast<std::size_t>(matrix.valueBytes() * matrix.nnz());
    return padded(bytes);
}

void packContents(const Contents& contents, std::span<std::byte> to)
{
    std::byte* at = to.data();
    const auto put = [&](const void* data, std::size_t size) {
        if (size)
            std::memcpy(at, data, size);
        at += size;
    };
    if (contents.signature) {
        const std::string text = formatSignature(*contents.signature);
        const Header sizes{signatureForm, 0, 0, static_cast<std::int64_t>(text.size()), 0};
        put(sizes.data(), sizeof sizes);
        return put(text.data(), text.size());
    }
    if (!contents.matrix) {
        const Header sizes{onlySizes, contents.sizes.rows, contents.sizes.cols, contents.sizes.nnz, 0};
        return put(sizes.data(), sizeof sizes);
    }
    const Csr& matrix = *contents.matrix;
    const Header sizes{matrixForm, matrix.rows, matrix.cols, matrix.nnz(), matrix.valueBytes()};
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
    const auto [form, rows, cols, nnz, valueBytes] = sizes;
    if (from.size() < sizeof sizes || form < onlySizes || form > signatureForm || rows < 0 || cols < 0 ||
        nnz < 0 || rows >= limit || cols > limit || nnz > limit)
        return fail("shared contents are damaged");
    if (form == signatureForm)
        return unpackSignature(from.subspan(sizeof sizes), static_cast<std::size_t>(nnz));
    if (form == onlySizes)
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
