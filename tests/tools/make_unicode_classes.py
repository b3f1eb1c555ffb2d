#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes core/policy/unicode_classes.cpp from Python's Unicode database.

Usage: make_unicode_classes.py > core/policy/unicode_classes.cpp
"""
import sys
import unicodedata


def ranges(prefix):
    found, start = [], None
    for code in range(0x80, 0x110001):
        inside = code < 0x110000 and unicodedata.category(chr(code)).startswith(prefix)
        if inside and start is None:
            start = code
        if not inside and start is not None:
            found.append((start, code - 1))
            start = None
    return found


def table(name, pairs):
    lines, line = [], "   "
    for low, high in pairs:
        item = f" {{0x{low:X}, 0x{high:X}}},"
        if len(line) + len(item) > 110:
            lines.append(line)
            line = "   "
        line += item
    lines.append(line)
    return f"constexpr Range {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


print(f"""// SPDX-License-Identifier: Apache-2.0
// Written by tests/tools/make_unicode_classes.py from Unicode {unicodedata.unidata_version}; do not edit.
#include "policy/unicode_classes.h"

#include <algorithm>
#include <iterator>

namespace sparserl {{

namespace {{

struct Range
{{
    std::uint32_t low, high;
}};

// clang-format off
{table("letters", ranges("L"))}
{table("numbers", ranges("N"))}// clang-format on

template<std::size_t n>
bool contains(const Range (&ranges)[n], std::uint32_t code)
{{
    const Range* const after = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                                [](std::uint32_t c, const Range& r) {{ return c < r.low; }});
    return after != std::begin(ranges) && code <= std::prev(after)->high;
}}

}} // namespace

bool isUnicodeLetter(std::uint32_t code)
{{
    if (code < 0x80)
        return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return contains(letters, code);
}}

bool isUnicodeNumber(std::uint32_t code)
{{
    return code < 0x80 ? code >= '0' && code <= '9' : contains(numbers, code);
}}

bool isUnicodeSpace(std::uint32_t code)
{{
    return code == ' ' || (code >= 9 && code <= 13) || code == 0x85 || code == 0xA0 || code == 0x1680
        || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F
        || code == 0x205F || code == 0x3000;
}}

}} // namespace sparserl""", file=sys.stdout)
