// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace sparserl {

/// What every call that needs the other processes throws when one of them is gone, has failed, or has come to
/// other results. what() is a sentence for people.
class ProcessFault : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// What ends the work of all processes before its time.
enum class EndRequest
{
    None,
    Stop,     ///< On request, after the step at hand.
    Interrupt ///< As soon as possible.
};

/// The processes that train one run together. All of them run the same stage and must call the same functions
/// in the same order; process 0 leads: it alone writes into the run's folder. This class is one process by
/// itself; joinProcesses() (join_processes.h) makes groups of several.
class ProcessGroup
{
public:
    virtual ~ProcessGroup() = default;
    virtual int rank() const { return 0; }
    virtual int size() const { return 1; }
    /// Among the processes of this machine.
    virtual int localRank() const { return 0; }
    virtual int localSize() const { return 1; }
    bool leads() const { return rank() == 0; }
    bool alone() const { return size() == 1; }

    /// Puts the sums over all processes in the tensors' places; each has the same shape and type in all of
    /// them. Every process gets the same bits.
    virtual void sum(std::vector<at::Tensor>&) {}
    /// Puts process 0's values in the tensors' places.
    virtual void broadcast(std::vector<at::Tensor>&) {}
    /// Process 0's text, to all.
    virtual std::string broadcast(std::string bytes) { return bytes; }
    /// Everybody's bytes by rank, to all.
    virtual std::vector<std::string> gather(std::string bytes) { return {std::move(bytes)}; }

    /// Any process may ask all of them to end; they see it within a second. From any thread.
    virtual void requestEnd(EndRequest) {}
    virtual EndRequest endRequested() { return EndRequest::None; }
    /// Leaves a sentence behind for those that will miss this process, or another one that ended. From any
    /// thread.
    virtual void reportFailure(const std::string&) {}
};

/// Whether any process says so.
bool anyProcess(ProcessGroup& processes, bool own);
/// Everybody's numbers by rank; the same count in each.
std::vector<std::vector<double>> gatherNumbers(ProcessGroup& processes, const std::vector<double>& own);
/// Their sums, added up in the order of ranks.
std::vector<double> sumNumbers(ProcessGroup& processes, const std::vector<double>& own);

/// Part [begin, end) of `count` things in a row.
struct Share
{
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};
/// The part of process `rank` of `size`: as equal as whole things can be.
Share shareOf(std::size_t count, int rank, int size);
Share shareOf(std::size_t count, const ProcessGroup& processes);

/// Every size-th thing from the rank-th on: of things sorted by length each process gets all lengths.
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
