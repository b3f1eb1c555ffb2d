// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/preprocessing_tokens.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

inline constexpr std::size_t maxSourceBytes = 64 * 1024;
inline constexpr std::size_t maxPtxBytes = 1024 * 1024;

struct SourceReading
{
    std::optional<Refusal> refusal;
    std::vector<std::string> includes; ///< Headers (headers.h) that the program includes.
};

/// Reads device code before the compiler does (docs/evaluation.md 3 #1 and #32). Refused is
/// - what would read files: #include of anything that is not in the fixed list or not written plainly,
/// #import,
///   #embed, __has_include, `import`;
/// - what makes the text depend on more than itself: the date macros, names that only one compiler defines
///   (compiler_names.h), `asm` outside functions (which NVRTC drops in silence), pragmas that reach a host
///   compiler;
/// - what moves line numbers, or is read differently by compilers (source_tokens.h).
/// Works on tokens, so no macro can form a directive (C++ [cpp.rescan] 3).
SourceReading readSource(std::string_view code);
/// Only its refusal.
std::optional<Refusal> checkSource(std::string_view code);

} // namespace sparserl
