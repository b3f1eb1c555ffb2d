// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace sparserl::cli {

/// Adds --policy: a policy directory, a checkpoint or a run. Completions offer the project's policies.
CLI::Option* addPolicy(CLI::App& command, std::string& policy);

/// Adds --policy-device and --precision: the device on which the policy runs, and the precision of its
/// computations.
void addPolicyCompute(CLI::App& command, std::string& device, std::string& precision);

} // namespace sparserl::cli
