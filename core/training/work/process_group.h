// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace sparserl {

/// Thrown by a call that needs the other processes if one of these has ended, failed, or computed different
/// results. what() is a sentence for display.
class ProcessFault : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// A request that all processes end early.
enum class EndRequest
{
    None,
    Stop,     ///< The user's request: end after the current step.
    Interrupt ///< End as soon as possible.
};

/// The processes that train one run together. All run the same stage and must call the same functions in the
/// same order. Process 0 is the leader, and only the leader writes to the run's folder. This base class is a
/// group of one process; MeetingPlace::join() (join_processes.h) creates larger groups.
class ProcessGroup
{
public:
    virtual ~ProcessGroup() = default;
    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    /// The rank among the processes on this machine.
    virtual int localRank() const { return 0; }
    virtual int localSize() const { return 1; }
    bool leads() const { return rank() == 0; }
    bool alone() const { return size() == 1; }

    /// Replaces the tensors by their sums over all processes. Shapes and types must agree. Every process gets
    /// the same bits.
    virtual void sum(std::vector<at::Tensor>&) {}
    /// Replaces the tensors by those of process 0.
    virtual void broadcast(std::vector<at::Tensor>&) {}
    /// Returns the bytes of process 0 in every process.
    virtual std::string broadcast(std::string bytes) { return bytes; }
    /// Returns the bytes of all processes, in the order of ranks.
    virtual std::vector<std::string> gather(std::string bytes) { return {std::move(bytes)}; }

    /// Asks all processes to end; they notice it within a second. May be called from any thread and process.
    virtual void requestEnd(EndRequest) {}
    virtual EndRequest endRequested() { return EndRequest::None; }
    /// Leaves a message for processes that will miss this process, or another one that ended. May be called
    /// from any thread.
    virtual void reportFailure(const std::string&) {}
};

/// Returns whether `own` is true in any process.
bool anyProcess(ProcessGroup& processes, bool own);
/// Returns process 0's status in all processes.
Status ofLeader(ProcessGroup& processes, const Status& own);
/// Returns the numbers of all processes, by rank. All processes must pass equally many numbers.
std::vector<std::vector<double>> gatherNumbers(ProcessGroup& processes, const std::vector<double>& own);
/// Returns the sums of the numbers over all processes, added in the order of ranks.
std::vector<double> sumNumbers(ProcessGroup& processes, const std::vector<double>& own);

/// The part [begin, end) of a list of items.
struct Share
{
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};
/// Returns the part of process `rank` if `size` processes share `count` items as equally as possible.
Share shareOf(std::size_t count, int rank, int size);
Share shareOf(std::size_t count, const ProcessGroup& processes);

/// Returns every size-th item, beginning with item number rank. If items are sorted by length, each process
/// gets all lengths.
template <typename T>
std::vector<T> takeTurns(const std::vector<T>& all, const ProcessGroup& processes)
{
    std::vector<T> own;
    for (auto i = static_cast<std::size_t>(processes.rank()); i < all.size();
         i += static_cast<std::size_t>(processes.size()))
        own.push_back(all[i]);
    return own;
}

} // namespace sparserl
