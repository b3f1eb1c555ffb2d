// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"

namespace sparserl {

/// Returns the inputs of a call, which are in `memory` at these ranges. Fails if a range is out of bounds.
Result<CallInputs> inputsAt(const SharedBuffer& memory, Task task, const NumberRanges& ranges);
/// Returns the factors of a call and the previous contents of its output. Fails if the range of these
/// contents is not in `memory`.
Result<ScaledCall> scaledCallAt(const SharedBuffer& memory, const CallRanges& call);
/// Writes the outputs of a task's calls to their ranges. Fails if the type or the size of an output does not
/// match its range.
Status putOutputs(SharedBuffer& memory, Task task, const std::vector<CallRanges>& calls,
                  const std::vector<CallOutputs>& outputs);

} // namespace sparserl
