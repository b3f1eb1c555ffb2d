// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"

#include <span>
#include <string_view>
#include <vector>

namespace sparserl {

/// Returns the inputs of a call, which have these names and are in `memory` at these ranges. Fails if a range
/// is out of bounds. The names must outlive the result.
Result<CallInputs> inputsAt(const SharedBuffer& memory, std::span<const std::string_view> names,
                            const NumberRanges& ranges);
/// Returns the factors of a call and the previous contents of its output. Fails if the range of these
/// contents is not in `memory`.
Result<ScaledCall> scaledCallAt(const SharedBuffer& memory, const CallRanges& call);
/// Writes the outputs of calls, which have these names, to their ranges. Fails if the type or the size of an
/// output does not match its range.
Status putOutputs(SharedBuffer& memory, std::span<const std::string_view> names,
                  const std::vector<CallRanges>& calls, const std::vector<CallOutputs>& outputs);

} // namespace sparserl
