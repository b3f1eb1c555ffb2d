// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "endpoint/endpoint_settings.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// One question to a model.
struct ChatRequest
{
    std::string system; ///< Empty: no system message.
    std::string user;
    double temperature = 1;
    double topP = 1;
    int maxTokens = 2048; ///< Of the answer.
    std::optional<std::uint64_t> seed;
};

struct ChatAnswer
{
    std::string text;
    bool finished = false;         ///< The model ended by itself, not because of maxTokens.
    std::int64_t promptTokens = 0; ///< As the server counts, else estimated (one in three bytes).
    std::int64_t answerTokens = 0;
};

/// What a command has used.
struct EndpointUse
{
    std::int64_t requests = 0, retries = 0, tokens = 0;
};

/// Questions to the model of an endpoint (POST chat/completions, streamed). Thread-safe: all threads share
/// the limits. Overload (429), errors of the server (500, 502, 503, 504) and broken answers are tried again,
/// up to six times in all, after the time that the server names or after growing pauses. An answer that was
/// broken off is dropped whole.
class EndpointClient
{
public:
    /// Fails without a key that the settings name. `log` gets a sentence for each retry.
    static Result<EndpointClient> make(const EndpointSettings& settings,
                                       std::function<void(std::string_view sentence)> log = {});
    EndpointClient(EndpointClient&&) noexcept;
    EndpointClient& operator=(EndpointClient&&) noexcept;
    ~EndpointClient();

    const EndpointSettings& settings() const;
    /// The pause before the first retry in seconds; 1 unless a test shortens it.
    void setPause(double seconds);

    Result<ChatAnswer> ask(const ChatRequest& request, const CancelToken& cancel) const;
    /// A request of another kind: POST `path` with a JSON answer, tried again like a question, also if
    /// `usable` says why an answer is not; where it is empty, any text will do. `most` tokens are taken from
    /// the budget while it is on its way, and limit the length of the answer. It may take hours to come, and
    /// a server that is not there has ten minutes to start. The answer may hold the key, if the server sends
    /// it back. `status` receives that of the last answer; 0: there was none.
    Result<nlohmann::json> post(const std::string& path, const nlohmann::json& body, std::int64_t most,
                                const std::function<Status(const nlohmann::json&)>& usable,
                                const CancelToken& cancel, int* status = nullptr) const;
    /// Names of the models that the server offers.
    Result<std::vector<std::string>> models(const CancelToken& cancel) const;
    /// Whether the server is `sparserl serve`.
    Result<bool> isOurs(const CancelToken& cancel) const;
    EndpointUse use() const;
    /// A few printable words of the server for a message, without the key.
    std::string shown(std::string words) const;

private:
    struct Impl;
    explicit EndpointClient(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
