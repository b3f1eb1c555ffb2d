// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

// Numbers in text that is known to end with a separator (matrix/text_blocks.h); used by the readers.
namespace sparserl {

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline bool isDigit(char c)
{
    return static_cast<unsigned char>(c - '0') < 10;
}

/// Digits at `at` as a number; `at` moves behind them. False without a digit or from 10^18 on (`at` then
/// unspecified).
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
    Fortran, ///< A number, but with the exponent of Fortran's double precision: "1d5".
    NotANumber,
    NotFinite,
    TooLarge
};

/// The general case of parseReal.
inline RealStatus parseRealSlowly(const char*& at, const char* end, double& value)
{
    const char* start = *at == '+' ? at + 1 : at;
    if (*at == '+' && (*start == '-' || *start == '+')) {
        return RealStatus::NotANumber;
    }
    auto [stop, error] = std::from_chars(start, end, value);
    std::string fixed;
    if (error == std::errc() && (*stop == 'd' || *stop == 'D')) {
        // Fortran's double precision exponent.
        const char* last = stop + 1;
        while (last < end && (isDigit(*last) || *last == '-' || *last == '+')) {
            ++last;
        }
        fixed.assign(start, last);
        fixed[static_cast<std::size_t>(stop - start)] = 'e';
        const auto retry = std::from_chars(fixed.data(), fixed.data() + fixed.size(), value);
        error = retry.ec;
        stop = start + (retry.ptr - fixed.data());
    }
    if (error == std::errc::result_out_of_range) {
        // Tiny numbers are zero; huge ones are refused. The sign of the exponent tells, else the integer
        // part.
        const std::string token = fixed.empty() ? std::string(start, stop) : fixed;
        const auto exponent = token.find_first_of("eE");
        const bool tiny = exponent != std::string::npos ? token[exponent + 1] == '-'
                                                        : token.find_first_of("123456789") > token.find('.');
        if (!tiny) {
            return RealStatus::TooLarge;
        }
        value = 0;
        error = std::errc();
    }
    if (error != std::errc()) {
        return RealStatus::NotANumber;
    }
    at = stop;
    return value - value != 0 ? RealStatus::NotFinite : fixed.empty() ? RealStatus::Ok : RealStatus::Fortran;
}

/// A decimal number, correctly rounded: exact arithmetic where the digits fit 53 bits and the power of ten is
/// exact (Clinger 1990), else std::from_chars. `end` is the end of the block.
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
