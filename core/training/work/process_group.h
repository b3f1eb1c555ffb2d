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

/// Thrown by calls that need the other processes if one has ended, failed, or computed different results.
/// what() is a sentence for display.
class ProcessFault : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// Early termination of all processes.
enum class EndRequest
{
    None,
    Stop,     ///< On request, after the current step.
    Interrupt ///< As soon as possible.
};

/// The processes that train one run together. All run the same stage and must call the same functions in the
/// same order. Process 0 is the leader and the only one that writes to the run's folder. This class
/// represents a single process; joinProcesses() (join_processes.h) creates groups.
class ProcessGroup
{
public:
    virtual ~ProcessGroup() = default;
    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    /// Rank among the processes of this machine.
    virtual int localRank() const { return 0; }
    virtual int localSize() const { return 1; }
    bool leads() const { return rank() == 0; }
    bool alone() const { return size() == 1; }

    /// Replaces the tensors by the sums over all processes. Shapes and types must agree. Every process gets
    /// the same bits.
    virtual void sum(std::vector<at::Tensor>&) {}
    /// Replaces the tensors by process 0's values.
    virtual void broadcast(std::vector<at::Tensor>&) {}
    /// Sends process 0's text to all.
    virtual std::string broadcast(std::string bytes) { return bytes; }
    /// Sends the bytes of all processes, by rank, to all.
    virtual std::vector<std::string> gather(std::string bytes) { return {std::move(bytes)}; }

    /// Asks all processes to end; they notice within a second. Callable from any thread and process.
    virtual void requestEnd(EndRequest) {}
    virtual EndRequest endRequested() { return EndRequest::None; }
    /// Leaves a message for processes that will miss this one, or another one that ended. Callable from any
    /// thread.
    virtual void reportFailure(const std::string&) {}
};

/// Whether `own` is true in any process.
bool anyProcess(ProcessGroup& processes, bool own);
/// What process 0 came to, for all.
Status ofLeader(ProcessGroup& processes, const Status& own);
/// The numbers of all processes, by rank; the same count in each.
std::vector<std::vector<double>> gatherNumbers(ProcessGroup& processes, const std::vector<double>& own);
/// The sums of the numbers, added in rank order.
std::vector<double> sumNumbers(ProcessGroup& processes, const std::vector<double>& own);

/// Part [begin, end) of `count` consecutive items.
struct Share
{
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};
/// The part of process `rank` of `size`; parts are as equal as possible.
Share shareOf(std::size_t count, int rank, int size);
Share shareOf(std::size_t count, const ProcessGroup& processes);

/// Every size-th item from the rank-th on: if items are sorted by length, each process gets all lengths.
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
