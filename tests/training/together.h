// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/patience.h"
#include "training/stages/join_processes.h"

#include <QtTest>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace sparserl::test {

/// Groups of threads, not processes, need this first: torch's flight recorder (a log for debuggers) writes
/// all groups of a process into one map without a lock. Size 0 turns it off.
inline void allowSeveralGroups()
{
    qputenv("TORCH_FR_BUFFER_SIZE", "0");
}

/// Calls `work` as each of `size` processes at once, and gives what process 0 made of it.
template <typename T>
T together(int size, const std::function<T(const std::shared_ptr<ProcessGroup>&)>& work)
{
    const std::chrono::milliseconds longest(test::patience());
    allowSeveralGroups();
    std::vector<std::optional<T>> results(static_cast<std::size_t>(size));
    ProcessPlace place;
    place.size = place.localSize = size;
    auto meeting = MeetingPlace::open(place, longest);
    if (!meeting)
        qFatal("%s", meeting.error().sentence().c_str());
    const int port = meeting->port();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            ProcessPlace own = place;
            own.rank = own.localRank = rank;
            own.port = port;
            const auto other = rank > 0 ? MeetingPlace::open(own, longest) : Result<MeetingPlace>(fail(""));
            auto group = rank > 0 ? other->join() : meeting->join();
            if (!group)
                qFatal("%s", group.error().sentence().c_str());
            try {
                results[static_cast<std::size_t>(rank)] = work(*group);
                (*group)->gather({}); // nobody leaves before the others have all they need
            } catch (const ProcessFault&) {
                return; // the others miss it
            }
        });
    }
    for (auto& thread : threads)
        thread.join();
    return std::move(*results[0]);
}

} // namespace sparserl::test
