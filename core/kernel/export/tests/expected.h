// SPDX-License-Identifier: Apache-2.0
// What the self-test knows of its bundle.
#pragma once

#include <cstdint>

namespace sparserl_bundle::expected {

extern const char matrix_name[];
extern const char matrix_digest[];
extern const std::uint64_t matrix_checksum; ///< FNV-1a over row_ptr, col and val.
extern const int dense_cols;
extern const bool takes_alpha, takes_beta; ///< The kernel computes with them.

/// Where the times of the verdict are from.
enum class Times
{
    none,
    simulated,
    measured
};
extern const Times times;
extern const char device[];                ///< GPU or device model of the verdict.
extern const char baseline[];              ///< What the kernel was compared with there.
extern const double product_microseconds;  ///< Of the verdict; 0: not timed.
extern const double baseline_microseconds; ///< 0: there is no baseline.

} // namespace sparserl_bundle::expected
