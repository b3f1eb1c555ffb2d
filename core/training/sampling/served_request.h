// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/sampling/sampling.h"
#include "policy/tokenizer/chat_format.h"

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// A request to a served policy: the body of POST completions or chat/completions in OpenAI's HTTP interface,
/// with additional members (docs/endpoints.md).
struct ServedRequest
{
    bool chat = false;
    std::vector<ChatMessage> messages;                  ///< For a chat.
    std::optional<std::string> prompt;                  ///< For a completion; nullopt: the policy's own.
    std::optional<std::vector<std::int32_t>> promptIds; ///< The prompt as tokens.
    std::shared_ptr<const Csr> matrix;                  ///< nullptr: no matrix.
    std::shared_ptr<const MatrixTokens> matrixTokens;   ///< The matrix as tokens for the policy, or nullptr.
    int count = 1;                                      ///< "n"
    std::vector<std::uint64_t> seeds;                   ///< One per choice; empty: derived from `seed`.
    std::optional<int> maxTokens;                       ///< nullopt: the policy's own setting.
    std::optional<double> temperature;                  ///< nullopt: the policy's own; 0: greedy.
    double topP = 1;
    std::uint64_t seed = 1;
    bool logProbs = false, stream = false, verifier = false;
    std::string fingerprint; ///< ServedWeights::fingerprint that the answer must have; empty: any.
};

/// Limits on a single request.
struct ServedLimits
{
    int count = 256, tokens = 16'384;
    std::size_t prompt = 16'384;      ///< Tokens; a prompt in text may have 16 times as many bytes.
    std::int64_t entries = 5'000'000; ///< Entries of a matrix.
};

/// Reads a request. Fails with a sentence for a member that has a wrong type or is out of range, and for a
/// member that would change the result but is not supported ("stop", "tools", ...).
Result<ServedRequest> servedRequest(const nlohmann::json& body, bool chat, const ServedLimits& limits = {});

/// Returns the answer to a request that is not streamed. `texts` are the texts of the `samples`.
nlohmann::json servedAnswer(const ServedRequest& request, const std::string& model, std::size_t promptTokens,
                            const std::vector<Sample>& samples, const std::vector<std::string>& texts,
                            std::int64_t created);
/// Returns one event of a stream: more text of a choice or, with a `reason`, the end of the choice.
nlohmann::json servedPiece(const ServedRequest& request, const std::string& model, std::size_t choice,
                           const std::string& text, const std::optional<std::string>& reason,
                           std::int64_t created);
/// Returns "stop", "length" or, for a program that can no longer compile, "verifier".
std::string finishReason(const Sample& sample);

/// Returns the body of a response that refuses a request.
nlohmann::json servedError(const std::string& sentence, const std::string& type = "invalid_request_error");

} // namespace sparserl
