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
    AsWritten, ///< The types of the graph.
    Double     ///< All floating-point tensors in fp64: the oracle.
};

/// Both are looked at between calls; one call is stopped by limits of the process only.
struct RunLimits
{
    double seconds = 60;
    std::uint64_t bytes = std::uint64_t(4) << 30; ///< Of tensors alive at once.
};

struct GraphResult
{
    std::vector<HostTensor> outputs; ///< In the order of the graph's outputs.
    double seconds = 0;
    std::uint64_t peakBytes = 0;
};

/// A graph whose calls this LibTorch knows, ready to run on the CPU, on one thread. Running it needs no
/// Python and changes nothing but its own tensors.
class PreparedGraph
{
public:
    /// Fails with a sentence for an operator that LibTorch does not know, that would draw random numbers,
    /// that hands values to its caller, or that writes where the graph does not say so.
    static Result<PreparedGraph> prepare(const OperatorGraph& graph);
    ~PreparedGraph();
    PreparedGraph(PreparedGraph&&) noexcept;
    PreparedGraph& operator=(PreparedGraph&&) noexcept;

    /// Runs the graph on copies of `tensors`, which holds every input and weight by its name (taskTensors()).
    /// Fails where a call refuses its arguments, returns another shape or type than the graph says, or a
    /// limit is exceeded.
    Result<GraphResult> run(const HostTensors& tensors, RunPrecision precision,
                            const RunLimits& limits) const;

private:
    struct Impl;
    explicit PreparedGraph(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Whether this LibTorch has the operator in some overload, and what its schemas say that the project's table
/// does not: a sentence for each. For the test of the table.
std::vector<std::string> schemaDisagreements();

/// "2.11.0"
std::string libtorchVersion();

/// Does everything that LibTorch does on first use, such as asking for the number of cores. Call it before
/// the process is locked.
void warmUpLibTorch();

} // namespace sparserl
