// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserl {

/// How a tensor of a GGUF file is stored: numbers, or blocks of a row's numbers with scales of their own.
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

/// Numbers of a row that stand together, and their bytes.
struct GgufBlock
{
    std::uint64_t numbers = 0; ///< 0: of a type that is not read.
    std::uint64_t bytes = 0;
};
GgufBlock blockOf(GgufType type);
/// "Q4_1"; "type 99" where the format has none of that number.
std::string nameOf(GgufType type);

/// The numbers of whole blocks, `count` of them, as the format defines them. Not for types that hold numbers
/// in one or two bytes more than fp32 has: F16 and BF16 are read as well.
void readGgufNumbers(GgufType type, const std::byte* blocks, std::uint64_t count, float* into);

} // namespace sparserl
