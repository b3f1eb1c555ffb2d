// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"

namespace sparserl {

/// What a call reads, as its ranges of `memory` say. Fails where one is outside.
Result<CallInputs> inputsAt(const SharedBuffer& memory, Task task, const NumberRanges& ranges);
/// The factors of a call and what its output holds. Fails where that is outside of `memory`.
Result<ScaledCall> scaledCallAt(const SharedBuffer& memory, const CallRanges& call);
/// Writes what calls of a task gave to their ranges. Fails where an output is not of a range's type and size.
Status putOutputs(SharedBuffer& memory, Task task, const std::vector<CallRanges>& calls,
                  const std::vector<CallOutputs>& outputs);

} // namespace sparserl
