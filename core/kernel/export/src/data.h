// SPDX-License-Identifier: Apache-2.0
// What data.cpp holds: the program as numbers. Nothing of the program's text is part of any host code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparserl_bundle {

extern const std::uint64_t ptx_words[]; ///< The verified PTX: eight bytes per word, little-endian.
extern const std::size_t ptx_bytes;
extern const unsigned char kernel_names[]; ///< Names of the kernels in the PTX, each terminated by 0.
extern const std::int64_t plan_words[];    ///< The plan, read by plan.cpp.
extern const std::size_t plan_size;
extern const std::int64_t verified_dense_cols;
extern const std::uint64_t verified_pattern; ///< pattern_checksum() of the matrix.

} // namespace sparserl_bundle
