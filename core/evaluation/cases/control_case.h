// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/case_plan.h"

namespace sparserl {

/// Creates a call of the SpMV reference program, with every check, on a matrix of a few rows. It tests
/// whether the simulator works.
Result<CasePlan> controlCase();

} // namespace sparserl
