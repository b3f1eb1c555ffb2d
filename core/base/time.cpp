// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace sparserl {

double unixSeconds()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) * 1e-6;
}

double monotonicSeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double threadCpuSeconds()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string isoTime(double unixSeconds)
{
    // 2^53 ms is far outside of what gmtime can show; clamp instead of overflowing.
    if (!(std::abs(unixSeconds) < 2.5e11)) {
        return "invalid-time";
    }
    const auto milliseconds = static_cast<std::int64_t>(std::llround(unixSeconds * 1e3));
    std::int64_t whole = milliseconds / 1000;
    std::int64_t rest = milliseconds % 1000;
    if (rest < 0) {
        rest += 1000;
        --whole;
    }
    const std::time_t seconds = whole;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest);
}

Result<double> parseIsoTime(std::string_view text)
{
    std::tm parts{};
    const std::string copy(text);
    const char* rest = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    double fraction = 0;
    if (rest && *rest == '.') {
        double scale = 0.1;
        for (++rest; *rest >= '0' && *rest <= '9'; ++rest, scale /= 10) {
            fraction += scale * (*rest - '0');
        }
    }
    if (!rest || std::string_view(rest) != "Z") {
        return fail("\"" + copy + "\" is not a UTC time such as 2026-01-31T12:00:00Z");
    }
    return static_cast<double>(::timegm(&parts)) + fraction;
}

} // namespace sparserl
