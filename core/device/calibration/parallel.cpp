// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace sparserl {

void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work)
{
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = std::min(count, threads > 0 ? static_cast<std::size_t>(threads) : cores);
    std::atomic<std::size_t> next = 0;
    const auto drain = [&] {
        for (std::size_t i = next++; i < count; i = next++)
            work(i);
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < wanted; ++i)
        others.emplace_back(drain);
    drain();
    for (std::thread& other : others)
        other.join();
}

} // namespace sparserl
