// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdlib.h>
#include <thread>

// How long tests wait. Every wait for something that must come takes its limit from here, so that a busy
// machine makes tests slow and never wrong. No test asserts a wall-clock time: a limit ends a test that
// hangs, and says nothing else.
namespace sparserl::test {

/// What waits are multiplied with: $SPARSERL_TEST_PATIENCE where it is a number above 0 (default 1), times
/// the processes that wait for each core by the load of the last minute (at least 1, at most 20).
inline double patienceFactor()
{
    const char* word = std::getenv("SPARSERL_TEST_PATIENCE");
    const double asked = word != nullptr ? std::strtod(word, nullptr) : 0;
    double load = 0;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const double waiting = ::getloadavg(&load, 1) == 1 ? load / cores : 1;
    return (asked > 0 ? asked : 1) * std::clamp(waiting, 1.0, 20.0);
}

/// Milliseconds to wait for what takes up to `milliseconds` on a machine that does nothing else.
inline int patience(int milliseconds = 60'000)
{
    constexpr double most = 2'000'000'000;
    return static_cast<int>(std::min(most, milliseconds * patienceFactor()));
}

/// The same in seconds, for what counts in those.
inline double patienceSeconds(double seconds = 60)
{
    return seconds * patienceFactor();
}

/// Whether something becomes true in time, looked at every 20 ms; with an event loop,
/// QTRY_VERIFY_WITH_TIMEOUT is better.
template <typename Condition>
bool comesTrue(const Condition& holds, int milliseconds = 60'000)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience(milliseconds));
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            return holds();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

} // namespace sparserl::test
