// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// The current time in seconds since 1970 (UTC), with microsecond resolution.
double unixSeconds();
/// Seconds of a monotonic clock. Only differences are meaningful.
double monotonicSeconds();
/// CPU seconds of the calling thread.
double threadCpuSeconds();
/// Formats a time as "2026-01-31T12:00:00.000Z".
std::string isoTime(double unixSeconds);
/// The inverse of isoTime(). Milliseconds are optional.
Result<double> parseIsoTime(std::string_view text);

} // namespace sparserl
