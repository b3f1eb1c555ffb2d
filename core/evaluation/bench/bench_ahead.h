// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/bench/bench.h"
#include "evaluation/cases/oracle.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sparserl {

/// A program that is ready to run, or the reason why it is not.
struct BenchCandidate
{
    DerivedProgram derived;
    std::shared_ptr<const CompiledOwn> compiled;
    std::optional<BoundPlan> plan;
    std::string problem;
};

/// A matrix with all data that can be prepared without the device.
struct BenchPrepared
{
    BenchMatrix about;
    Csr matrix;
    std::vector<Numbers> inputs;
    std::vector<Reference> right;
    std::vector<BenchCandidate> candidates;
    std::int64_t bytes = 0;
};

/// Prepares matrices on several threads, a few ahead of the current one. The constructor's arguments must
/// outlive it.
class BenchAhead
{
public:
    BenchAhead(const std::vector<ListedMatrix>& matrices, const BenchOptions& options, OwnPrograms& programs,
               DeviceLimits limits);
    ~BenchAhead();
    BenchAhead(const BenchAhead&) = delete;
    BenchAhead& operator=(const BenchAhead&) = delete;
    /// Waits for the matrix with this index and returns it. Call it in order, once per index.
    std::unique_ptr<BenchPrepared> take(std::size_t index);
    /// Takes a finished matrix to free it on another thread, because freeing gigabytes would delay the device
    /// thread.
    void give(std::unique_ptr<BenchPrepared> done);

private:
    void work();

    const std::vector<ListedMatrix>& m_matrices;
    const BenchOptions& m_options;
    OwnPrograms& m_programs;
    DeviceLimits m_limits;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::size_t, std::unique_ptr<BenchPrepared>> m_ready;
    std::vector<std::unique_ptr<BenchPrepared>> m_done;
    std::size_t m_next = 0, m_asked = 0;
    std::size_t m_window = 0; ///< Number of matrices that are prepared ahead.
    std::int64_t m_bytes = 0;
    bool m_stop = false;
    std::vector<std::thread> m_threads;
};

} // namespace sparserl
