// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/measurement.h"

namespace sparserl {

/// Compares `outputs` with the exact product for the first inputs in `request.ring`. Each element may differ
/// by 2 u (n + 2) sum |a||x| and a tiny absolute slack, where n is the number of entries of its row and u the
/// unit roundoff. This allows any order of summation.
ComparedCalls compareOutput(const MeasureRequest& request, const CallOutputs& outputs);

} // namespace sparserl
