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

/// Reads device code before the compiler does (docs/evaluation.md 3 #1 and #32). It refuses
/// - directives that would read files: #include of a header that is not in the fixed list or whose name is
///   not written literally, #import, #embed, __has_include, `import`;
/// - constructs whose meaning does not depend on the text alone: the date macros, names that only one
///   compiler defines (compiler_names.h), `asm` outside functions (which NVRTC drops silently), pragmas that
///   reach a host compiler;
/// - constructs that change line numbers or that compilers read differently (preprocessing_tokens.h).
/// The check works on tokens. A macro cannot form a directive (C++ [cpp.rescan] 3).
SourceReading readSource(std::string_view code);
/// Returns only the refusal of readSource().
std::optional<Refusal> checkSource(std::string_view code);

} // namespace sparserl
