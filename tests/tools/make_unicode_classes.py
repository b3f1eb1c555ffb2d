#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes core/policy/tokenizer/unicode_classes.cpp or core/base/unicode_hidden.cpp from Python's Unicode database.

Usage: make_unicode_classes.py classes > core/policy/tokenizer/unicode_classes.cpp
       make_unicode_classes.py hidden > core/base/unicode_hidden.cpp
"""
import sys
import unicodedata


# Default_Ignorable_Code_Point of DerivedCoreProperties.txt, of which the database here knows nothing; a blank of
# Braille, which shows nothing either; format of Unicode 15.
IGNORABLE = [(0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
             (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
             (0xFFF0, 0xFFF8), (0x13439, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)]


def is_hidden(code):
    """Format, separators of lines, private use, what is to be ignored, and what is no character."""
    return (unicodedata.category(chr(code)) in ("Cf", "Zl", "Zp", "Co") or any(low <= code <= high for low, high in IGNORABLE)
            or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE)


def ranges(prefix):
    return where(lambda code: unicodedata.category(chr(code)).startswith(prefix))


def where(holds):
    found, start = [], None
    for code in range(0x80, 0x110001):
        inside = code < 0x110000 and holds(code)
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
    return f"constexpr UnicodeRange {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


HEAD = f"""// SPDX-License-Identifier: Apache-2.0
// Written by tests/tools/make_unicode_classes.py from Unicode {unicodedata.unidata_version}; do not edit.
#include "{{header}}"

#include "base/unicode_ranges.h"

namespace sparserl {{

namespace {{

// clang-format off
{{tables}}// clang-format on

}} // namespace
"""

CLASSES = """
bool isUnicodeLetter(std::uint32_t code)
{
    if (code < 0x80)
        return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    return contains(letters, code);
}

bool isUnicodeNumber(std::uint32_t code)
{
    return code < 0x80 ? code >= '0' && code <= '9' : contains(numbers, code);
}

bool isUnicodeSpace(std::uint32_t code)
{
    return code == ' ' || (code >= 9 && code <= 13) || code == 0x85 || code == 0xA0 || code == 0x1680
        || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F
        || code == 0x205F || code == 0x3000;
}

} // namespace sparserl
"""

HIDDEN = """
bool isUnicodeHidden(std::uint32_t code)
{
    return code >= 0x80 && contains(hidden, code);
}

bool isUnicodeMark(std::uint32_t code)
{
    return code >= 0x80 && contains(marks, code);
}

} // namespace sparserl
"""

if sys.argv[1:] == ["hidden"]:
    tables, header, functions = table("hidden", where(is_hidden)) + "\n" + table("marks", ranges("M")), "base/unicode_hidden.h", HIDDEN
else:
    tables, header, functions = table("letters", ranges("L")) + "\n" + table("numbers", ranges("N")), "policy/tokenizer/unicode_classes.h", CLASSES
sys.stdout.write(HEAD.replace("{header}", header).replace("{tables}", tables) + functions)
