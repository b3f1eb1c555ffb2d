// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/graph/oracle_report.h"
#include "operator/run/graph_run.h"

namespace sparserl {

/// Returns the largest difference divided by the largest magnitude in `expected`. Equal infinities count as
/// equal, and so do two NaNs. Infinite if shapes or infinities differ, or if only one of two elements is NaN.
double relativeDifference(const HostTensor& got, const HostTensor& expected);

/// Runs the graph in fp64 and in its own types, and then once more in fp64 for each input, with other values
/// for this input. Each run has the `limits`. `recorded` holds results of the task itself by output name.
Result<OracleReport> examineGraph(const OperatorGraph& graph, const HostTensors& tensors,
                                  const RunLimits& limits, const HostTensors& recorded = {});

} // namespace sparserl
