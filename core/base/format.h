// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A human-readable duration: "0.8 ms", "12.3 s", "4 min 05 s", "3 h 12 min", "2 d 4 h".
std::string formatDuration(double seconds);
/// Human-readable bytes in binary units: "512 B", "1.5 KiB", "20.0 GiB".
std::string formatBytes(double bytes);
/// A human-readable count: "950", "12.3 k", "4.56 M", "7.89 G".
std::string formatCount(double count);
/// An integer with grouped digits: "1,234,567".
std::string formatGrouped(std::int64_t value);
/// A count with its noun: "1 run", "2 runs", "1,234 matrices". An empty `many` appends "s" to `one`.
std::string formatCounted(std::int64_t count, std::string_view one, std::string_view many = {});
/// The shortest decimal text that parses to the same number: "0.1", "1e-06", "nan".
std::string formatNumber(double value);

/// The candidate with the smallest edit distance to `word`, or empty if none is close enough to be a typing
/// error.
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);

} // namespace sparserl
