// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <utility>

namespace sparserl::cli {

/// A subcommand of `policy` and its body.
using PolicyCommand = std::pair<CLI::App*, Body>;

/// `policy adapt`: makes a policy with low-rank adapters, which are new or come from PEFT.
PolicyCommand addPolicyAdapt(CLI::App& policy, Context& context);
/// `policy merge`: merges the adapters of a policy into its weights.
PolicyCommand addPolicyMerge(CLI::App& policy, Context& context);
/// `policy shrink`: makes a policy with 16-bit weights.
PolicyCommand addPolicyShrink(CLI::App& policy, Context& context);
/// `policy export`: writes a policy as files for other programs.
PolicyCommand addPolicyExport(CLI::App& policy, Context& context);

} // namespace sparserl::cli
