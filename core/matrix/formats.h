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

/// The arrays and counts that a plan gets from a storage format.
struct FormatData
{
    std::vector<FormatArray> arrays;
    std::map<std::string, std::int64_t> counts; ///< "slices", "width", ...
    std::int64_t bytes() const;
    const FormatArray* find(std::string_view name) const;
};

/// The names that a kind of format provides for any matrix. The plan parser checks the names in a plan
/// against the signature.
struct FormatSignature
{
    struct Array
    {
        std::string name;
        ElementType type; ///< F32 stands for matrix values, which have the type of the matrix.
    };
    std::vector<std::string> parameters; ///< Parameters that must each be given exactly once.
    std::vector<std::vector<std::string>>
        alternatives; ///< Used instead of `parameters` for a kind that has a choice of parameters (hyb).
    std::vector<Array> arrays;
    std::vector<std::string> counts;
    bool allowsPart = true; ///< False for dia, bsr, windows, dense.
};

/// Returns the signature of a KIND in docs/formats.md 1, or nullptr for an unknown kind.
const FormatSignature* formatSignature(std::string_view kind);

/// A kind of format with its parameters by name.
struct FormatSpec
{
    std::string kind;
    std::map<std::string, std::int64_t> parameters;
};

/// Fails for an unknown kind and for parameters that are missing, unknown or out of range. These are the
/// checks that are possible while a plan is parsed.
Status checkFormatSpec(const FormatSpec& spec);

/// Builds the arrays of `spec` for the whole matrix, or for the rows of a part (row numbers in ascending
/// order). Values keep the matrix's type. Fails if the format does not apply (16-bit span, too many
/// diagonals, `byteLimit`), which is the verdict `format-error`. The Error then names the rule that is
/// violated.
Result<FormatData> buildFormat(const Csr& matrix, const FormatSpec& spec,
                               std::optional<std::span<const std::int32_t>> partRows, std::int64_t byteLimit);

} // namespace sparserl
