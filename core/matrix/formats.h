// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"
#include "target/element_type.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// One array of a storage format, as bytes in host order.
struct FormatArray
{
    std::string name; ///< "col", "slice_ptr", ...
    ElementType type = ElementType::I32;
    std::vector<std::byte> bytes;
    std::int64_t count() const { return static_cast<std::int64_t>(bytes.size() / sizeOf(type)); }
};

/// What a storage format gives a plan under its name: arrays and counts.
struct FormatData
{
    std::vector<FormatArray> arrays;
    std::map<std::string, std::int64_t> counts; ///< "slices", "width", ...
    std::int64_t bytes() const;
    const FormatArray* find(std::string_view name) const;
};

/// What exists under a format of a kind before any matrix is known; the plan parser checks names against it.
struct FormatSignature
{
    struct Array
    {
        std::string name;
        ElementType type; ///< F32: of values of the matrix, which are in its own type.
    };
    std::vector<std::string> parameters; ///< Required ones, each once.
    std::vector<std::vector<std::string>>
        alternatives; ///< Instead of `parameters` where a kind has a choice (hyb).
    std::vector<Array> arrays;
    std::vector<std::string> counts;
    bool allowsPart = true; ///< False for dia, bsr, windows, dense.
};

/// The signature of a KIND of docs/formats.md 1, or nullptr for an unknown kind.
const FormatSignature* formatSignature(std::string_view kind);

/// Which format, with its parameters by name.
struct FormatSpec
{
    std::string kind;
    std::map<std::string, std::int64_t> parameters;
};

/// Refuses an unknown kind, a parameter that is missing, unknown or out of its range: what a plan parser can
/// know.
Status checkFormatSpec(const FormatSpec& spec);

/// Builds the arrays of `spec` for the whole matrix, or for the rows of a part (ascending row numbers).
/// Values keep the matrix's type. Fails with the rule's name where the format does not apply (16-bit span,
/// too many diagonals, `byteLimit`): that is the verdict `format-error`.
Result<FormatData> buildFormat(const Csr& matrix, const FormatSpec& spec,
                               std::optional<std::span<const std::int32_t>> partRows, std::int64_t byteLimit);

} // namespace sparserl
