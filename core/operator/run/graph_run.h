// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "operator/graph/host_tensor.h"
#include "operator/graph/operator_graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

enum class RunPrecision
{
    AsWritten, ///< Uses the types of the graph.
    Double     ///< Uses fp64 for all floating-point tensors, as the oracle does.
};

/// The limits of a run. They are checked between calls. Only the limits of the process can stop a single
/// call.
struct RunLimits
{
    double seconds = 60;
    std::uint64_t bytes = std::uint64_t(4) << 30; ///< Of all tensors that exist at the same time.
};

struct GraphResult
{
    std::vector<HostTensor> outputs; ///< In the order of the outputs of the graph.
    double seconds = 0;
    std::uint64_t peakBytes = 0;
};

/// A graph that is ready to run on the CPU, on one thread. This LibTorch has all operators that the graph
/// calls. A run needs no Python and changes nothing but its own tensors.
class PreparedGraph
{
public:
    /// Fails with a sentence for an operator that LibTorch does not have, that would draw random numbers,
    /// that hands values to its caller, or that writes to an argument without being an in-place form.
    static Result<PreparedGraph> prepare(const OperatorGraph& graph);
    ~PreparedGraph();
    PreparedGraph(PreparedGraph&&) noexcept;
    PreparedGraph& operator=(PreparedGraph&&) noexcept;

    /// Runs the graph on copies of `tensors`, which hold every input and weight by its name (taskTensors()).
    /// Fails if a call refuses its arguments, if a result has another shape or type than in the graph, or if
    /// a limit is exceeded.
    Result<GraphResult> run(const HostTensors& tensors, RunPrecision precision,
                            const RunLimits& limits) const;

private:
    struct Impl;
    explicit PreparedGraph(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Compares the table of known operators with this LibTorch, for the test of the table. Returns a sentence
/// for each operator that LibTorch lacks, and for each write or shared memory that only its schemas declare.
std::vector<std::string> schemaDisagreements();

/// Returns the version of LibTorch, such as "2.11.0".
std::string libtorchVersion();

/// Does everything that LibTorch does on first use, such as asking for the number of cores. Must be called
/// before the process is locked.
void warmUpLibTorch();

} // namespace sparserl
