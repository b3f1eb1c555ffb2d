// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// A C++20 keyword or alternative operator token ("and", "not_eq").
bool isCppKeyword(std::string_view word);
/// threadIdx, blockIdx, blockDim, gridDim, warpSize
bool isCudaVariable(std::string_view word);
/// A type name that needs no header: a fundamental type or a CUDA vector type ("float4", "dim3").
bool isBuiltinType(std::string_view word);
/// const, static, __shared__, ...: words that may precede the type in a declaration.
bool isDeclarationSpecifier(std::string_view word);

} // namespace sparserl
