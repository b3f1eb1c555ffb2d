// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"

#include <string>

namespace sparserl {

/// A text that is equal for two plans exactly if they say the same: every field but the line numbers. What is
/// remembered about a program is kept under this and its PTX.
std::string planKey(const Plan& plan);

} // namespace sparserl
