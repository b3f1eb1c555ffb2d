// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// An array in NumPy's .npy format (versions 1 to 3, NEP 1): numbers or short texts, never pickled objects. A
/// view into bytes that must outlive it.
struct NpyArray
{
    char kind = 'f';       ///< 'b' boolean, 'i', 'u', 'f', 'c' complex, 'S' bytes, 'U' text with 4 bytes per
                           ///< character
    std::int64_t size = 8; ///< Bytes per element.
    bool bigEndian = false;
    bool fortran = false; ///< Column-major: the first index varies fastest.
    std::vector<std::int64_t> shape;
    std::string_view data;

    std::int64_t count() const; ///< Number of elements.
    bool isNumber() const { return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f'; }
    /// Element `at` in storage order. For numbers only.
    double real(std::int64_t at) const;
    /// For whole numbers. Values beyond a signed 64-bit integer become the largest one.
    std::int64_t integer(std::int64_t at) const;
    /// For 'S' and 'U': the ASCII characters.
    std::string text() const;
};

bool looksNpy(std::string_view head);
Result<NpyArray> parseNpy(std::string_view bytes, const std::string& name);

} // namespace sparserl
