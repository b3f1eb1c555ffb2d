// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserl {

/// The storage type of a tensor in a GGUF file: plain numbers, or blocks of numbers with their own scales.
/// Values are those of the format.
enum class GgufType : std::uint32_t
{
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q8_0 = 8,
    Q4_K = 12,
    Q6_K = 14,
    BF16 = 30
};

/// The size of a block in numbers and bytes.
struct GgufBlock
{
    std::uint64_t numbers = 0; ///< 0: unsupported type.
    std::uint64_t bytes = 0;
};
GgufBlock blockOf(GgufType type);
/// "Q4_1"; "type 99" for a number that the format does not define.
std::string nameOf(GgufType type);

/// Decodes the `count` numbers of whole blocks as the format defines them. Also accepts F16 and BF16, but no
/// types with more range or precision than fp32.
void readGgufNumbers(GgufType type, const std::byte* blocks, std::uint64_t count, float* into);

} // namespace sparserl
