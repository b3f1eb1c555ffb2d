// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Why device code is not even given to the compiler.
struct Refusal
{
    int line = 0; ///< In the program text, from 1.
    std::string reason;
};

inline constexpr std::size_t maxSourceBytes = 64 * 1024;
inline constexpr std::size_t maxPtxBytes = 1024 * 1024;

/// Refuses what would read files or make the result depend on more than the text: every include-like
/// directive
/// (#include, #include_next, #import, #embed, also spliced over lines, with digraphs or behind comments), the
/// operators __has_include and __has_embed, `import` of a header unit, and the date macros (evaluation.md B.4
/// #1 and #32). Works on text after translation phase 2, so no macro can form a directive (C++ [cpp.rescan]
/// 3).
std::optional<Refusal> checkSource(std::string_view code);

} // namespace sparserl
