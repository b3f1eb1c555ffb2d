// SPDX-License-Identifier: Apache-2.0
// The facts about its bundle that the self-test uses.
#pragma once

#include <cstdint>

namespace sparserl_bundle::expected {

extern const char matrix_name[];
extern const char matrix_digest[];
extern const std::uint64_t matrix_checksum; ///< FNV-1a over row_ptr, col and val.
extern const int dense_cols;
extern const bool takes_alpha, takes_beta; ///< Whether the kernel uses alpha and beta.

/// The source of the verdict's times.
enum class Times
{
    none,
    simulated,
    measured
};
extern const Times times;
extern const char device[];                ///< The verdict's GPU or device model.
extern const char baseline[];              ///< The baseline on that device.
extern const double product_microseconds;  ///< The verdict's time; 0: not timed.
extern const double baseline_microseconds; ///< 0: no baseline.

} // namespace sparserl_bundle::expected
