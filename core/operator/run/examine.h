// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/oracle_report.h"
#include "operator/run/graph_run.h"

namespace sparserl {

/// Largest difference over the largest magnitude of `expected`; equal infinities and NaNs agree. Infinite for
/// other shapes, for a NaN in one of them, and for different infinities.
double relativeDifference(const HostTensor& got, const HostTensor& expected);

/// Runs the graph in fp64 and in its own types, and in fp64 once more for each input, whose values it
/// changes. `limits` hold for each run. `recorded`: results of the task itself, by the names of outputs.
Result<OracleReport> examineGraph(const OperatorGraph& graph, const HostTensors& tensors,
                                  const RunLimits& limits, const HostTensors& recorded = {});

} // namespace sparserl
