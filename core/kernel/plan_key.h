// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"

#include <string>

namespace sparserl {

/// Returns a text that is equal for two plans exactly if all fields except line numbers are equal. Caches
/// identify a program by this text and by its PTX.
std::string planKey(const Plan& plan);

} // namespace sparserl
