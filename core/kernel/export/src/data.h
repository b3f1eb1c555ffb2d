// SPDX-License-Identifier: Apache-2.0
// The contents of data.cpp: the program as numbers. Host code contains no text of the program.
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
