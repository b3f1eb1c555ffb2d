// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <utility>

namespace sparserl::cli {

/// A subcommand of `policy` and its body.
using PolicyCommand = std::pair<CLI::App*, Body>;

/// `policy adapt`: a policy with low-rank adapters, new or from PEFT.
PolicyCommand addPolicyAdapt(CLI::App& policy, Context& context);
/// `policy merge`: a policy with its adapters merged into its weights.
PolicyCommand addPolicyMerge(CLI::App& policy, Context& context);
/// `policy shrink`: a policy with 16-bit weights.
PolicyCommand addPolicyShrink(CLI::App& policy, Context& context);
/// `policy export`: files of a policy for other programs.
PolicyCommand addPolicyExport(CLI::App& policy, Context& context);

} // namespace sparserl::cli
