// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// True for C++20 keywords and alternative operator tokens ("and", "not_eq").
bool isCppKeyword(std::string_view word);
/// True for threadIdx, blockIdx, blockDim, gridDim and warpSize.
bool isCudaVariable(std::string_view word);
/// True for names of types that need no header: fundamental types and CUDA vector types ("float4", "dim3").
bool isBuiltinType(std::string_view word);
/// True for words that may precede the type in a declaration: const, static, __shared__, ...
bool isDeclarationSpecifier(std::string_view word);

} // namespace sparserl
