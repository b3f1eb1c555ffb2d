// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that shows a program another time of day: SPARSERL_CLOCK_SHIFT seconds are added,
// or those that the file SPARSERL_CLOCK_FILE says at the moment, so that clocks can be set while it runs. The
// clock that only runs (CLOCK_MONOTONIC) is left alone, as it is when somebody sets the clock.
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

time_t shift()
{
    if (const char* file = std::getenv("SPARSERL_CLOCK_FILE"); file != nullptr) {
        char digits[32] = {};
        const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, file, O_RDONLY));
        if (fd >= 0) {
            static_cast<void>(::syscall(SYS_read, fd, digits, sizeof digits - 1));
            ::syscall(SYS_close, fd);
        }
        return std::atol(digits);
    }
    const char* text = std::getenv("SPARSERL_CLOCK_SHIFT");
    return text != nullptr ? std::atol(text) : 0;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept
{
    const auto code = static_cast<int>(::syscall(SYS_clock_gettime, clock, out));
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += shift();
    return code;
}

time_t time(time_t* out) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != nullptr)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(timeval* out, void*) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

} // extern "C"
