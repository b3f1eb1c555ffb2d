// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/measurement.h"

namespace sparserl {

/// Checks the first call of a device that returns results: |y - y64| <= 2 u (n + 2) sum |a||x| in each row,
/// which allows any order of summation.
ComparedCalls compareOutput(const MeasureRequest& request, const CallOutputs& outputs);

} // namespace sparserl
