// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// An array as NumPy's .npy files hold it (versions 1 to 3 of the format, NEP 1): numbers or short texts,
/// never pickled objects. A view into bytes that must outlive it.
struct NpyArray
{
    char kind = 'f'; ///< 'b' truth value, 'i', 'u', 'f', 'c' complex, 'S' bytes, 'U' text of 4 bytes a letter
    std::int64_t size = 8; ///< Bytes of an element.
    bool bigEndian = false;
    bool fortran = false; ///< The first index runs fastest.
    std::vector<std::int64_t> shape;
    std::string_view data;

    std::int64_t count() const; ///< Elements.
    bool isNumber() const { return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f'; }
    /// Element `at` as it lies in the file. Of numbers only.
    double real(std::int64_t at) const;
    /// Of whole numbers; those beyond 64 bits with a sign become the largest one.
    std::int64_t integer(std::int64_t at) const;
    /// Of 'S' and 'U': its ASCII letters.
    std::string text() const;
};

bool looksNpy(std::string_view head);
Result<NpyArray> parseNpy(std::string_view bytes, const std::string& name);

} // namespace sparserl
