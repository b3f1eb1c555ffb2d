// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"

namespace sparserl {

/// The inputs of a call, at its ranges in `memory`. Fails if a range is out of bounds.
Result<CallInputs> inputsAt(const SharedBuffer& memory, Task task, const NumberRanges& ranges);
/// The factors of a call and the previous contents of its output. Fails if their range is outside `memory`.
Result<ScaledCall> scaledCallAt(const SharedBuffer& memory, const CallRanges& call);
/// Writes the outputs of a task's calls to their ranges. Fails if type and size of an output do not match its
/// range.
Status putOutputs(SharedBuffer& memory, Task task, const std::vector<CallRanges>& calls,
                  const std::vector<CallOutputs>& outputs);

} // namespace sparserl
