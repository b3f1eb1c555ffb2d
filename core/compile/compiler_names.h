// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/preprocessing_tokens.h"

#include <optional>
#include <span>
#include <string_view>

namespace sparserl {

/// True for names by which compilers and systems tell each other apart (__CUDACC_RTC__, __GNUC__, _MSC_VER,
/// __linux__,
/// __has_builtin, ...). Names of CUDA's language (__global__, __shfl_sync, __ldg) are not among them.
bool tellsCompilersApart(std::string_view name);

/// True where such a name without leading underscores starts so ("CUDA_" does).
bool startsOtherName(std::string_view start);
/// True for names that belong to compilers and libraries: `__x`, `_X`.
bool isReservedName(std::string_view name);

/// The reason against the condition of one #if, #elif, #ifdef or #ifndef, or nothing. Reserved names have no
/// place in one, but for two: __cplusplus may be asked for, and __CUDA_ARCH__ compared with numbers, as long
/// as no host compiler is told apart from all GPUs: some architecture must see what a host compiler sees.
/// `__CUDA_ARCH__ < 600` and `defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700` pass, `defined(__CUDA_ARCH__)`
/// does not. `directive` is its name, `tokens` what follows it on the line.
std::optional<Refusal> refuseCondition(const SourceToken& directive, std::span<const SourceToken> tokens);

} // namespace sparserl
