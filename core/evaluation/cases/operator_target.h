// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/target.h"
#include "operator/import/operator_task.h"
#include "target/operator_signature.h"

#include <memory>

namespace sparserl {

/// Returns what programs must know about a graph. Inputs and weights that are not in float32 are left out if
/// no output depends on them, such as the counter of a batch norm. The Error says why programs for the graph
/// cannot be judged: a name cannot be written in plans, the size is too large for the simulated device, or
/// the graph is valid only for recorded inputs.
Result<OperatorSignature> signatureOf(const OperatorGraph& graph);

/// Returns the target for programs of a task. The digest of its contents covers the function, the names, the
/// types and the shapes, but not the values of inputs and weights. Fails like signatureOf().
Result<Target> operatorTarget(std::shared_ptr<const OperatorTask> task);

} // namespace sparserl
