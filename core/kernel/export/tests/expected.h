// SPDX-License-Identifier: Apache-2.0
// What the self-test knows of its bundle.
#pragma once

#include <cstdint>

namespace sparserl_bundle::expected {

extern const char matrix_name[];
extern const char matrix_digest[];
extern const std::uint64_t matrix_checksum; ///< FNV-1a over row_ptr, col and val.
extern const int dense_cols;

} // namespace sparserl_bundle::expected
