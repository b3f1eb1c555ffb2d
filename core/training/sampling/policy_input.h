// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

/// Makes the input of a policy from a matrix and a prompt in words: matrix tokens and the prompt. If the
/// policy reads matrices as text (PolicyConfig::textEntries), both are in the prompt. `seed` selects entries.
ModelInput policyInput(const Policy& policy, const Csr& matrix, std::uint64_t seed, std::string_view prompt);
/// Returns only the prompt of this input.
std::vector<std::int32_t> policyPrompt(const Policy& policy, const Csr& matrix, std::uint64_t seed,
                                       std::string_view prompt);

} // namespace sparserl
