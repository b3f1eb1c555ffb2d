// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// Seconds since 1970 (UTC), in microsecond resolution.
double unixSeconds();
/// Seconds of a monotonic clock. Only differences are meaningful.
double monotonicSeconds();
/// CPU seconds of the calling thread.
double threadCpuSeconds();
/// "2026-01-31T12:00:00.000Z"
std::string isoTime(double unixSeconds);
/// Inverse of isoTime. Milliseconds are optional.
Result<double> parseIsoTime(std::string_view text);

} // namespace sparserl
