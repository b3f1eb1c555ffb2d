// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a policy reads of a matrix and a prompt in words: matrix tokens and the prompt or, if it reads
/// matrices as text (PolicyConfig::textEntries), both in one prompt. `seed` selects the entries.
ModelInput policyInput(const Policy& policy, const Csr& matrix, std::uint64_t seed, std::string_view prompt);
/// The prompt of this input.
std::vector<std::int32_t> policyPrompt(const Policy& policy, const Csr& matrix, std::uint64_t seed,
                                       std::string_view prompt);

} // namespace sparserl
