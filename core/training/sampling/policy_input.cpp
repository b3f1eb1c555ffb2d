// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/policy_input.h"

#include "training/data/matrix_text.h"

#include <memory>
#include <string>

namespace sparserl {

std::vector<std::int32_t> policyPrompt(const Policy& policy, const Csr& matrix, std::uint64_t seed,
                                       std::string_view prompt)
{
    const auto entries = static_cast<std::size_t>(policy.config().textEntries);
    if (entries == 0)
        return policy.promptTokens(prompt);
    return policy.promptTokens(matrixText(matrix, entries, seed) + "\n" + std::string(prompt));
}

ModelInput policyInput(const Policy& policy, const Csr& matrix, std::uint64_t seed, std::string_view prompt)
{
    ModelInput input;
    input.prompt = policyPrompt(policy, matrix, seed, prompt);
    if (policy.config().textEntries == 0)
        input.matrix = std::make_shared<const MatrixTokens>(policy.matrixTokens(matrix, seed));
    return input;
}

} // namespace sparserl
