// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

// Parses numbers in text that ends with a separator (matrix/text_blocks.h). For use by the readers.
namespace sparserl {

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline bool isDigit(char c)
{
    return static_cast<unsigned char>(c - '0') < 10;
}

/// Parses digits at `at` and moves `at` past them. Returns false if there is no digit or there are more than
/// 18; `at` is then unspecified.
inline bool parseUnsigned(const char*& at, std::int64_t& value)
{
    const char* start = at;
    std::uint64_t number = 0;
    while (isDigit(*at)) {
        number = number * 10 + static_cast<std::uint64_t>(*at - '0');
        ++at;
        if (at - start > 18) {
            return false;
        }
    }
    value = static_cast<std::int64_t>(number);
    return at != start;
}

enum class RealStatus
{
    Ok,
    Fortran, ///< A number with a Fortran double-precision exponent: "1d5".
    NotANumber,
    NotFinite,
    TooLarge
};

namespace detail {

/// The parts of a decimal number: [sign] digits [. digits] [e|E|d|D [sign] digits].
struct DecimalText
{
    const char* letter = nullptr; ///< The letter before the exponent; null if there is none.
    const char* stop = nullptr;   ///< The end of the number; null if the text is not a decimal number.
    bool zero = true;             ///< All digits are 0.
    /// The decimal exponent m of the first non-zero digit, plus 1: the number is in [10^(m-1), 10^m).
    std::int64_t magnitude = 0;
};

inline DecimalText scanDecimal(const char* at, const char* end)
{
    DecimalText out;
    if (at != end && (*at == '-' || *at == '+')) {
        ++at;
    }
    std::int64_t digits = 0;
    const auto take = [&](std::int64_t step) {
        for (; at != end && isDigit(*at); ++at, ++digits) {
            const bool leading = out.zero;
            out.zero = out.zero && *at == '0';
            // Before the point, each digit from the first non-zero one on counts up. After it, each leading
            // zero counts down.
            out.magnitude += step > 0 ? (out.zero ? 0 : 1) : (leading && out.zero ? -1 : 0);
        }
    };
    take(1);
    if (at != end && *at == '.') {
        ++at;
        take(-1);
    }
    if (digits == 0) {
        return out;
    }
    out.stop = at;
    if (at == end || (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D')) {
        return out;
    }
    const char* letter = at++;
    const bool minus = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) {
        ++at;
    }
    if (at == end || !isDigit(*at)) {
        return out; // The letter is not part of the number.
    }
    std::int64_t power = 0;
    for (; at != end && isDigit(*at); ++at) {
        power = power < (std::int64_t(1) << 50) ? power * 10 + (*at - '0') : power;
    }
    out.magnitude += minus ? -power : power;
    out.letter = letter;
    out.stop = at;
    return out;
}

} // namespace detail

/// Handles every case that parseReal does not.
inline RealStatus parseRealSlowly(const char*& at, const char* end, double& value)
{
    const detail::DecimalText text = detail::scanDecimal(at, end);
    const char* start = *at == '+' ? at + 1 : at; // from_chars does not accept a plus sign.
    if (!text.stop) {
        double word = 0; // "nan", "inf" and their longer forms; "++1", ".", "x" are not numbers.
        const auto [stop, error] = std::from_chars(start, end, word);
        if (error != std::errc() || (*at == '+' && (*start == '-' || *start == '+'))) {
            return RealStatus::NotANumber;
        }
        at = stop;
        value = word;
        return RealStatus::NotFinite;
    }
    const bool fortran = text.letter && (*text.letter == 'd' || *text.letter == 'D');
    std::string fixed;
    std::from_chars_result result{};
    if (fortran) {
        fixed.assign(start, text.stop);
        fixed[static_cast<std::size_t>(text.letter - start)] = 'e';
        result = std::from_chars(fixed.data(), fixed.data() + fixed.size(), value);
    } else {
        result = std::from_chars(start, text.stop, value);
    }
    if (result.ec == std::errc::result_out_of_range) {
        // from_chars leaves the value unchanged and does not distinguish overflow from underflow.
        if (!text.zero && text.magnitude > 0) {
            return RealStatus::TooLarge;
        }
        value = *at == '-' ? -0.0 : 0.0;
    } else if (result.ec != std::errc()) {
        return RealStatus::NotANumber;
    }
    at = text.stop;
    return fortran ? RealStatus::Fortran : RealStatus::Ok;
}

/// Parses a decimal number of any length and rounds it correctly. Underflow yields a signed zero. Uses exact
/// arithmetic if the digits fit into 53 bits and the power of ten is exact (Clinger 1990), and otherwise
/// std::from_chars. `end` is the end of the block.
inline RealStatus parseReal(const char*& at, const char* end, double& value)
{
    static constexpr std::array<double, 23> powers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* p = at;
    const bool negative = *p == '-';
    if (negative || *p == '+') {
        ++p;
    }
    const char* first = p;
    std::uint64_t digits = 0;
    while (isDigit(*p)) {
        digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
        ++p;
    }
    std::int64_t count = p - first;
    int exponent = 0;
    if (*p == '.') {
        const char* fraction = ++p;
        while (isDigit(*p)) {
            digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
            ++p;
        }
        exponent = -static_cast<int>(p - fraction);
        count += p - fraction;
    }
    if (count == 0 || count > 19) {
        return parseRealSlowly(at, end, value);
    }
    if (*p == 'e' || *p == 'E') {
        ++p;
        const bool minus = *p == '-';
        if (minus || *p == '+') {
            ++p;
        }
        int power = 0;
        const char* powerStart = p;
        while (isDigit(*p) && p - powerStart < 5) {
            power = power * 10 + (*p - '0');
            ++p;
        }
        if (p == powerStart || isDigit(*p)) {
            return parseRealSlowly(at, end, value);
        }
        exponent += minus ? -power : power;
    }
    if (digits > (std::uint64_t(1) << 53) || exponent < -22 || exponent > 22 || *p == 'd' || *p == 'D') {
        return parseRealSlowly(at, end, value);
    }
    double number = static_cast<double>(digits);
    number = exponent < 0 ? number / powers[static_cast<std::size_t>(-exponent)]
                          : number * powers[static_cast<std::size_t>(exponent)];
    value = negative ? -number : number;
    at = p;
    return RealStatus::Ok;
}

} // namespace sparserl
