// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/measurement.h"

namespace sparserl {

/// What a device that hands out what calls wrote found of the first of them: |y - y64| <= 2 u (n + 2) sum
/// |a||x| in each row, so that any order of summation will do.
ComparedCalls compareOutput(const MeasureRequest& request, const CallOutputs& outputs);

} // namespace sparserl
