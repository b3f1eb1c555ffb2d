// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace sparserl {

/// The numbers of the tokens in a choice of an answer to POST completions. A list is nullopt if the server
/// does not send it. The lists may have different lengths.
struct TokenNumbers
{
    std::optional<std::vector<std::int32_t>> ids;
    std::optional<std::vector<float>> logProbs;
    /// Log-probabilities under the distribution from which the tokens were drawn; only `sparserl serve` sends
    /// them.
    std::optional<std::vector<float>> behaviourLogProbs;
};

/// Reads the formats that `sparserl serve`, vLLM and llama.cpp use.
TokenNumbers tokenNumbersIn(const nlohmann::json& choice);

} // namespace sparserl
