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

struct HttpAnswer;

/// A question to a model.
struct ChatRequest
{
    std::string system; ///< The system message; empty: the request has none.
    std::string user;
    double temperature = 1;
    double topP = 1;
    int maxTokens = 2048; ///< The limit for the answer.
    std::optional<std::uint64_t> seed;
};

struct ChatAnswer
{
    std::string text;
    bool finished = false;         ///< The model ended the answer itself and was not stopped by maxTokens.
    bool streamed = false;         ///< The answer came piece by piece and not as a whole.
    std::int64_t promptTokens = 0; ///< The server's count; if it sends none, a third of the bytes.
    std::int64_t answerTokens = 0;
};

/// The requests and tokens that a command has used.
struct EndpointUse
{
    std::int64_t requests = 0, retries = 0, tokens = 0;
};

/// Asks the model of an endpoint (POST chat/completions, streamed). Thread-safe; all threads share the
/// limits. Makes up to six attempts if the server is overloaded (429) or fails (500, 502, 503, 504) or if an
/// answer is incomplete or invalid. Waits before each further attempt for the time that the server names, or
/// for growing pauses. Discards an incomplete answer as a whole.
class EndpointClient
{
public:
    /// Fails if the settings name a key that cannot be read. Calls `log` with a sentence for each retry.
    static Result<EndpointClient> make(const EndpointSettings& settings,
                                       std::function<void(std::string_view sentence)> log = {});
    EndpointClient(EndpointClient&&) noexcept;
    EndpointClient& operator=(EndpointClient&&) noexcept;
    ~EndpointClient();

    const EndpointSettings& settings() const;
    /// Sets the pause before the first retry in seconds. The default is 1; tests shorten it.
    void setPause(double seconds);

    /// Sets `status` to the HTTP status of the last answer, or to 0 if there was no answer.
    Result<ChatAnswer> ask(const ChatRequest& request, const CancelToken& cancel,
                           int* status = nullptr) const;
    /// Sends another kind of request: posts `body` to `path` and returns the JSON of the answer. Retries as
    /// ask() does, and also if `usable` returns an Error for the answer. If `usable` is empty, accepts any
    /// text. Reserves `most` tokens of the budget during the request; they also limit the length of the
    /// answer. The answer may take hours, and a server that cannot be reached has ten minutes to start. If
    /// the server sends the key back, the answer contains the key. Sets `status` to the HTTP status of the
    /// last answer, or to 0 if there was no answer.
    Result<nlohmann::json> post(const std::string& path, const nlohmann::json& body, std::int64_t most,
                                const std::function<Status(const nlohmann::json&)>& usable,
                                const CancelToken& cancel, int* status = nullptr) const;
    /// Posts `body` to `path` once and returns whatever the server answers, with any status. Reserves `most`
    /// tokens of the budget during the request. Fails if no complete answer arrives.
    Result<HttpAnswer> once(const std::string& path, const nlohmann::json& body, std::int64_t most,
                            const CancelToken& cancel) const;
    /// Returns the names of the models that the server offers.
    Result<std::vector<std::string>> models(const CancelToken& cancel) const;
    /// Whether the server is `sparserl serve`.
    Result<bool> isOurs(const CancelToken& cancel) const;
    EndpointUse use() const;
    /// Returns the status and the reason of an answer for a message, such as "answers 404: no such path".
    std::string refusalOf(const HttpAnswer& answer) const;
    /// Returns a few printable words of the server for a message, without the key.
    std::string shown(std::string words) const;

private:
    struct Impl;
    explicit EndpointClient(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
