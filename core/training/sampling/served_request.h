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
/// with more members (docs/endpoints.md).
struct ServedRequest
{
    bool chat = false;
    std::vector<ChatMessage> messages;                  ///< Of a chat.
    std::optional<std::string> prompt;                  ///< Of a completion; none: the policy's own.
    std::optional<std::vector<std::int32_t>> promptIds; ///< The same as tokens.
    std::shared_ptr<const Csr> matrix;                  ///< null: none.
    std::shared_ptr<const MatrixTokens> matrixTokens;   ///< What the policy reads of a matrix; null: none.
    int count = 1;                                      ///< "n"
    std::vector<std::uint64_t> seeds;                   ///< Of each choice; empty: from `seed`.
    std::optional<int> maxTokens;                       ///< None: the policy's own.
    std::optional<double> temperature;                  ///< None: the policy's own. 0: greedy.
    double topP = 1;
    std::uint64_t seed = 1;
    bool logProbs = false, stream = false, verifier = false;
    std::string fingerprint; ///< Of the weights that must write the answer; empty: any.
};

/// Limits on what one request may ask for.
struct ServedLimits
{
    int count = 256, tokens = 16'384;
    std::size_t prompt = 16'384;      ///< Tokens. Of a text, sixteen times as many bytes.
    std::int64_t entries = 5'000'000; ///< Of a matrix.
};

/// Fails with a sentence for a member of another type or out of range, and for members that would change the
/// result and are not supported ("stop", "tools", ...).
Result<ServedRequest> servedRequest(const nlohmann::json& body, bool chat, const ServedLimits& limits = {});

/// The answer to a request that is not streamed. `texts` belong to `samples`.
nlohmann::json servedAnswer(const ServedRequest& request, const std::string& model, std::size_t promptTokens,
                            const std::vector<Sample>& samples, const std::vector<std::string>& texts,
                            std::int64_t created);
/// One event of a stream: more text of a choice, or its end with the reason.
nlohmann::json servedPiece(const ServedRequest& request, const std::string& model, std::size_t choice,
                           const std::string& text, const std::optional<std::string>& reason,
                           std::int64_t created);
/// "stop", "length", or "verifier" for a program that can no longer compile.
std::string finishReason(const Sample& sample);

/// The body of a refusal.
nlohmann::json servedError(const std::string& sentence, const std::string& type = "invalid_request_error");

} // namespace sparserl
