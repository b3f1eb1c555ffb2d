// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/preprocessing_tokens.h"

#include <optional>
#include <span>
#include <string_view>

namespace sparserl {

/// True for names that identify a compiler or a system (__CUDACC_RTC__, __GNUC__, _MSC_VER, __linux__,
/// __has_builtin, ...). False for names of the CUDA language (__global__, __shfl_sync, __ldg).
bool tellsCompilersApart(std::string_view name);

/// True if one of the listed names of compilers and systems ("CUDA_VERSION", "_MSC_VER", ...) starts with
/// `start`.
bool startsOtherName(std::string_view start);
/// True for names that belong to compilers and libraries: `__x`, `_X`.
bool isReservedName(std::string_view name);

/// Returns the reason to refuse the condition of an #if, #elif, #ifdef or #ifndef, or nullopt. A condition
/// must not contain reserved names, with two exceptions. It may test whether __cplusplus is defined. It may
/// compare __CUDA_ARCH__ with numbers if the comparison does not distinguish host compilers from all GPUs:
/// for at least one architecture, the condition must have the same value as for a host compiler.
/// `__CUDA_ARCH__ < 600` and `defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700` pass, `defined(__CUDA_ARCH__)`
/// does not. `directive` is the name of the directive, `tokens` are the tokens after it on the line.
std::optional<Refusal> refuseCondition(const SourceToken& directive, std::span<const SourceToken> tokens);

} // namespace sparserl
