// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sparserl {

void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work)
{
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = std::min(count, threads > 0 ? static_cast<std::size_t>(threads) : cores);
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto drain = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++)
                work(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            if (!thrown)
                thrown = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(wanted);
    try {
        for (std::size_t i = 1; i < wanted; ++i)
            others.emplace_back(drain);
    } catch (const std::system_error&) {
        // As many threads as this user may have.
    }
    drain();
    for (std::thread& other : others)
        other.join();
    if (thrown)
        std::rethrow_exception(std::exchange(thrown, nullptr));
}

} // namespace sparserl
