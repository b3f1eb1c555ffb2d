// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

class EndpointClient;

/// What a server may be able to do for an endpoint.
enum class EndpointCapability
{
    Models,       ///< Lists its models, and the endpoint's is among them.
    Chat,         ///< Answers messages: generate, search, evaluate.
    Streaming,    ///< Sends an answer piece by piece.
    Completions,  ///< Continues a prompt.
    PromptTokens, ///< Accepts a prompt as token IDs.
    TokenIds,     ///< Returns the IDs of the tokens that it has drawn.
    LogProbs,     ///< Returns the log-probabilities of these tokens.
    Adapters      ///< Loads adapters while it runs.
};
inline constexpr EndpointCapability allCapabilities[] = {
    EndpointCapability::Models,      EndpointCapability::Chat,         EndpointCapability::Streaming,
    EndpointCapability::Completions, EndpointCapability::PromptTokens, EndpointCapability::TokenIds,
    EndpointCapability::LogProbs,    EndpointCapability::Adapters};
/// The name in records, such as "token_ids".
std::string_view nameOf(EndpointCapability capability);
/// What it is called in a sentence, such as "IDs of drawn tokens".
std::string_view wordsOf(EndpointCapability capability);

/// A capability that was tested.
struct TestedCapability
{
    EndpointCapability capability = EndpointCapability::Models;
    bool available = false;
    std::string reason; ///< Why not, in the server's words if it gives some; empty if it is available.

    bool operator==(const TestedCapability&) const = default;
};

struct EndpointProbe
{
    std::vector<std::string> models;      ///< As listed by the server.
    std::string answer;                   ///< To the question in chat; empty if there was none.
    std::int64_t tokens = 0;              ///< Used by that question and its answer.
    std::vector<TestedCapability> tested; ///< In the order above; those that were reached.
    /// Why the model can be asked in neither way, chat or completions; the error of chat.
    std::optional<Error> problem;

    bool has(EndpointCapability capability) const;
};

/// Tests what the server of an endpoint can do, with at most six requests for a few tokens each. Fails only
/// if it is interrupted.
Result<EndpointProbe> probeEndpoint(const EndpointClient& client, const CancelToken& cancel);

/// Converts the tested capabilities to a list of objects {"capability", "available", "reason"}.
nlohmann::json toJson(const std::vector<TestedCapability>& tested);
/// The inverse. Skips entries that this version does not know.
std::vector<TestedCapability> testedCapabilitiesFromJson(const nlohmann::json& json);

} // namespace sparserl
