// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A duration for people: "0.8 ms", "12.3 s", "4 min 05 s", "3 h 12 min", "2 d 4 h".
std::string formatDuration(double seconds);
/// Bytes for people, binary units: "512 B", "1.5 KiB", "20.0 GiB".
std::string formatBytes(double bytes);
/// A count for people: "950", "12.3 k", "4.56 M", "7.89 G".
std::string formatCount(double count);
/// An integer with thin grouping: "1,234,567".
std::string formatGrouped(std::int64_t value);
/// A count with its noun: "1 run", "2 runs", "1,234 matrices". `many`: empty for `one` with an s.
std::string formatCounted(std::int64_t count, std::string_view one, std::string_view many = {});
/// The shortest decimal text that reads back as the same number: "0.1", "1e-06", "nan".
std::string formatNumber(double value);

/// The candidate nearest to `word` in edit distance, or empty if none is near enough to be a slip.
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);

} // namespace sparserl
