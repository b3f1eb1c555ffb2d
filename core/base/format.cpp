// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"

#include "base/edit_distance.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace sparserl {

std::string formatDuration(double seconds)
{
    if (!std::isfinite(seconds)) {
        return "?";
    }
    const std::string sign = seconds < 0 ? "-" : "";
    const double s = std::abs(seconds);
    if (s < 1e-3) {
        return fmt::format("{}{:.1f} µs", sign, s * 1e6);
    }
    if (s < 1) {
        return fmt::format("{}{:.1f} ms", sign, s * 1e3);
    }
    if (s < 59.95) {
        return fmt::format("{}{:.1f} s", sign, s);
    }
    if (s > 3e9) {
        return sign + "centuries";
    }
    const auto whole = static_cast<std::int64_t>(std::llround(s));
    if (whole < 3600) {
        return fmt::format("{}{} min {:02} s", sign, whole / 60, whole % 60);
    }
    if (whole < 48 * 3600) {
        return fmt::format("{}{} h {:02} min", sign, whole / 3600, whole % 3600 / 60);
    }
    return fmt::format("{}{} d {} h", sign, whole / 86400, whole % 86400 / 3600);
}

std::string formatBytes(double bytes)
{
    static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = bytes;
    std::size_t unit = 0;
    while (std::abs(value) >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} B", value) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string formatCount(double count)
{
    static constexpr std::array units{"", " k", " M", " G", " T"};
    double value = count;
    std::size_t unit = 0;
    while (std::abs(value) >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    if (unit == 0) {
        return fmt::format("{:.4g}", value);
    }
    return fmt::format("{:.{}f}{}", value,
                       std::abs(value) < 9.995   ? 2
                       : std::abs(value) < 99.95 ? 1
                                                 : 0,
                       units[unit]);
}

std::string formatGrouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string formatCounted(std::int64_t count, std::string_view one, std::string_view many)
{
    std::string text = formatGrouped(count) + ' ';
    if (count != 1 && !many.empty())
        return text.append(many);
    text += one;
    return count == 1 ? text : text + 's';
}

std::string formatNumber(double value)
{
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

namespace {

/// Whether the beginning or the end of a name with several parts, such as "limit" of "limit-per-matrix", is
/// the word but for one letter.
bool hasPartNear(std::string_view name, std::string_view word)
{
    constexpr std::size_t shortest = 4; // one letter of three is too much for a part
    if (word.size() < shortest)
        return false;
    for (std::size_t at = name.find_first_of("-_."); at != std::string_view::npos;
         at = name.find_first_of("-_.", at + 1))
        for (const std::string_view part : {name.substr(0, at), name.substr(at + 1)})
            if (editDistance(word, part) <= 1)
                return true;
    return false;
}

} // namespace

std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates)
{
    std::string best;
    // One letter of a word of three, two of longer ones: more would suggest anything.
    std::size_t bestDistance = std::max<std::size_t>(word.size() > 3 ? 2 : 1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = editDistance(word, candidate);
        // Half of a short word must have been meant as it stands.
        if (distance < bestDistance && 2 * distance <= std::max(word.size(), candidate.size())) {
            bestDistance = distance;
            best = candidate;
        }
    }
    if (best.empty() || bestDistance > 1) {
        const auto isNear = [&](const std::string& name) { return hasPartNear(name, word); };
        // What is like a part of several names is not said to be one of them.
        if (const auto first = std::find_if(candidates.begin(), candidates.end(), isNear);
            first != candidates.end())
            return std::none_of(first + 1, candidates.end(), isNear) ? *first
                   : isNear(best)                                    ? best
                                                                     : std::string();
    }
    if (!best.empty() || word.size() < 3)
        return best;
    // A word that was cut off: the beginning of one candidate only, or of one of its parts.
    for (const std::string& candidate : candidates) {
        const std::size_t at = candidate.find(word);
        if (at == std::string::npos ||
            (at > 0 && std::string_view("-_.").find(candidate[at - 1]) == std::string_view::npos))
            continue;
        if (!best.empty())
            return {};
        best = candidate;
    }
    return best;
}

} // namespace sparserl
