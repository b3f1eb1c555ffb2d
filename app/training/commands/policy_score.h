// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/training/commands/policy_adapters.h"

namespace sparserl::cli {

/// `policy score`: what a policy makes of each token of a program.
PolicyCommand addPolicyScore(CLI::App& policy, Context& context);

} // namespace sparserl::cli
