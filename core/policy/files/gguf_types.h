// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserl {

/// The type in which a GGUF file stores a tensor: plain numbers, or blocks of numbers that have their own
/// scales. The format defines the values.
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

/// The size of a block of a type.
struct GgufBlock
{
    std::uint64_t numbers = 0; ///< Numbers in a block; 0: the type is not supported.
    std::uint64_t bytes = 0;
};
GgufBlock blockOf(GgufType type);
/// Returns the name of a type, such as "Q4_1", or "type 99" for a number that the format does not define.
std::string nameOf(GgufType type);

/// Decodes `count` numbers from whole blocks, as the format defines. Also accepts F16 and BF16. Does not
/// support types with more range or precision than fp32.
void readGgufNumbers(GgufType type, const std::byte* blocks, std::uint64_t count, float* into);

} // namespace sparserl
