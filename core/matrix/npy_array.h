// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// An array in NumPy's .npy format (versions 1 to 3, NEP 1). Its elements are numbers or short texts, never
/// pickled objects. The object is a view of bytes that must outlive it.
struct NpyArray
{
    char kind =
        'f'; ///< 'b' boolean, 'i', 'u', 'f', 'c' complex, 'S' bytes, 'U' text (4 bytes per character).
    std::int64_t size = 8; ///< Bytes per element.
    bool bigEndian = false;
    bool fortran = false; ///< Column-major: the first index varies fastest.
    std::vector<std::int64_t> shape;
    std::string_view data;

    std::int64_t count() const; ///< Number of elements.
    bool isNumber() const { return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f'; }
    /// Returns element `at`, which must be a number. Elements are counted in storage order.
    double real(std::int64_t at) const;
    /// Returns element `at`, which must be a whole number. A value above the largest signed 64-bit integer
    /// becomes that integer.
    std::int64_t integer(std::int64_t at) const;
    /// Returns the ASCII characters of an array of kind 'S' or 'U'.
    std::string text() const;
};

bool looksNpy(std::string_view head);
Result<NpyArray> parseNpy(std::string_view bytes, const std::string& name);

} // namespace sparserl
