// SPDX-License-Identifier: Apache-2.0
#include "endpoint/endpoint_client.h"

#include "base/interruption.h"
#include "base/json.h"
#include "base/printable.h"
#include "endpoint/event_stream.h"
#include "endpoint/http.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

namespace sparserl {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int mostAttempts = 6;
constexpr double longestPause = 60, longestRetryAfter = 300;
// Of an answer with numbers for each token.
constexpr std::size_t mostNumbers = std::size_t(512) << 20, bytesOfToken = 256, bytesBeside = 1 << 20;
constexpr int longestAnswer = 6 * 3600; ///< Seconds; one with numbers comes once all of it is there.
constexpr int longestSilence = 1200;    ///< Seconds of a stream: others may come first, and prompts are read.
constexpr std::size_t telling = 8;      ///< Bytes of a key; shorter pieces are in many words.
constexpr Seconds restart(600);         ///< For a server that is started again and loads its policy.

/// Waits; false if cancelled meanwhile.
bool waitUntil(Clock::time_point end, const CancelToken& cancel)
{
    while (Clock::now() < end) {
        if (cancel.cancelled())
            return false;
        std::this_thread::sleep_for(
            std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(50)));
    }
    return !cancel.cancelled();
}

bool mayTryAgain(int status)
{
    return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

/// What an error of the server says, as it says it.
std::string reasonIn(const std::string& body)
{
    std::string text;
    if (const auto json = parseJson(body); json && json->is_object()) {
        const auto error = json->find("error");
        if (error != json->end() && error->is_object() && error->contains("message"))
            text = jsonAs<std::string>((*error)["message"]).value_or(std::string());
        else if (error != json->end())
            text = jsonAs<std::string>(*error).value_or(std::string());
        if (text.empty() && json->contains("message"))
            text = jsonAs<std::string>((*json)["message"]).value_or(std::string());
    }
    return text.empty() ? std::string() : ": " + text;
}

std::string shortly(const std::string& words)
{
    return printableLine(words.substr(0, 300));
}

std::int64_t countIn(const nlohmann::json& usage, const char* key)
{
    const auto found = usage.is_object() ? usage.find(key) : usage.end();
    const auto count = found != usage.end() ? jsonAs<std::int64_t>(*found) : std::nullopt;
    return count && *count >= 0 && *count <= 100'000'000 ? *count : 0;
}

/// The tokens that an answer used, read and written, by the server's count.
std::int64_t usedTokens(const nlohmann::json& json)
{
    const auto usage = json.is_object() ? json.find("usage") : json.end();
    if (!json.is_object() || usage == json.end())
        return 0;
    return countIn(*usage, "prompt_tokens") + countIn(*usage, "completion_tokens");
}

/// Collects an answer from events or from one whole object.
class AnswerReader
{
public:
    void takeEvent(std::string_view data)
    {
        m_streamed = true;
        if (data == "[DONE]") {
            m_done = true;
            return;
        }
        const auto json = parseJson(data);
        if (!json || !json->is_object()) {
            m_fault = "an event is no JSON object";
            return;
        }
        take(*json, "delta");
    }
    void takeWhole(const std::string& body)
    {
        const auto json = parseJson(body);
        if (!json || !json->is_object())
            m_fault = "the answer is no JSON object";
        else
            take(*json, "message");
    }
    /// An Error if the answer is not complete.
    Result<ChatAnswer> finish(std::size_t promptBytes) const
    {
        if (!m_fault.empty())
            return fail(m_fault);
        if (m_reason.empty())
            return fail(m_done ? "the answer has no end" : "the answer was broken off");
        ChatAnswer answer{m_text, m_reason != "length", m_streamed, m_promptTokens, m_answerTokens};
        if (answer.promptTokens == 0)
            answer.promptTokens = static_cast<std::int64_t>(promptBytes / 3);
        if (answer.answerTokens == 0)
            answer.answerTokens = static_cast<std::int64_t>(m_text.size() / 3);
        return answer;
    }

private:
    void take(const nlohmann::json& json, const char* holder)
    {
        if (const auto error = json.find("error"); error != json.end() && !error->is_null()) {
            m_fault = "the server reports an error" +
                      reasonIn(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
            return;
        }
        if (const auto usage = json.find("usage"); usage != json.end()) {
            m_promptTokens = std::max(m_promptTokens, countIn(*usage, "prompt_tokens"));
            m_answerTokens = std::max(m_answerTokens, countIn(*usage, "completion_tokens"));
        }
        const auto choices = json.find("choices");
        if (choices == json.end() || !choices->is_array() || choices->empty())
            return; // usage alone
        const auto& choice = (*choices)[0];
        if (!choice.is_object())
            return;
        if (const auto held = choice.find(holder); held != choice.end() && held->is_object())
            if (const auto content = held->find("content"); content != held->end())
                m_text += jsonAs<std::string>(*content).value_or(std::string());
        if (const auto reason = choice.find("finish_reason"); reason != choice.end())
            if (const auto text = jsonAs<std::string>(*reason))
                m_reason = *text;
    }

    std::string m_text, m_reason, m_fault;
    std::int64_t m_promptTokens = 0, m_answerTokens = 0;
    bool m_done = false, m_streamed = false;
};

} // namespace

struct EndpointClient::Impl
{
    EndpointSettings settings;
    std::string key;
    std::function<void(std::string_view)> log;
    double firstPause = 1;
    std::mutex mutex;
    Clock::time_point next; ///< The earliest start of the next request.
    EndpointUse use;
    std::int64_t promised = 0; ///< Tokens of requests on their way.

    std::string address(const char* end) const
    {
        return settings.url + (settings.url.ends_with('/') ? "" : "/") + end;
    }

    /// Removes the key from words of a server that are shown: it may have sent the key back.
    void hideKey(std::string& text) const
    {
        const auto hide = [&text](std::string_view secret) {
            std::string hidden; // Replacing within a long text takes a time quadratic in its length.
            std::size_t from = 0;
            for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, from)) {
                hidden.append(text, from, at - from).append("***");
                from = at + secret.size();
            }
            if (from > 0)
                text = hidden.append(text, from);
        };
        if (key.empty())
            return;
        hide(key);
        const std::string_view half = std::string_view(key).substr(0, key.size() / 2);
        if (half.size() >= telling) { // parts that a message shows
            hide(half);
            hide(std::string_view(key).substr(half.size()));
        }
    }

    /// The same for what a model has written or is called: short keys, which are no secrets ("token",
    /// "none"), occur in it by chance.
    void hideLongKey(std::string& text) const
    {
        if (key.size() >= telling)
            hideKey(text);
    }

    /// Waits for this request's turn.
    bool awaitTurn(const CancelToken& cancel)
    {
        Clock::time_point turn;
        {
            const std::lock_guard lock(mutex);
            turn = std::max(next, Clock::now());
            next =
                turn + std::chrono::duration_cast<Clock::duration>(Seconds(60 / settings.requestsPerMinute));
            ++use.requests;
        }
        return waitUntil(turn, cancel);
    }

    /// Tokens that a request may use, taken from the budget before it is sent.
    Status promise(std::int64_t tokens)
    {
        const std::lock_guard lock(mutex);
        if (use.tokens + promised + tokens > settings.mostTokens)
            return fail(
                fmt::format("the budget of {} tokens is used up ({} used)", settings.mostTokens, use.tokens),
                fmt::format("Raise most_tokens of the endpoint \"{}\"", settings.name));
        promised += tokens;
        return {};
    }
    void settle(std::int64_t tokens, std::int64_t used)
    {
        const std::lock_guard lock(mutex);
        promised -= tokens;
        use.tokens += used;
    }

    /// What a request asks for, and how its answer is read.
    template <typename Answer>
    struct Asked
    {
        HttpRequest request;
        std::int64_t most = 0; ///< Tokens.
        /// An Error if the answer is not complete.
        std::function<Result<Answer>(const HttpAnswer&)> read;
        std::function<std::int64_t(const Answer&)> tokens; ///< That an answer used.
        bool numbers = false;                              ///< Rather than a stream of words.
    };

    /// One attempt. `again` is set if another one may succeed, `wait` if the server names a pause.
    template <typename Answer>
    Result<Answer> attempt(const Asked<Answer>& asked, const CancelToken& cancel, bool& again,
                           std::optional<double>& wait, int* status, bool& connected) const
    {
        again = true;
        if (status != nullptr)
            *status = 0;
        SPARSERL_TRY(HttpAnswer answer, exchange(asked.request, cancel, &connected));
        if (status != nullptr)
            *status = answer.status;
        if (answer.status != 200) {
            again = mayTryAgain(answer.status);
            wait = answer.retryAfter;
            return refusal(answer);
        }
        auto read = asked.read(answer);
        if (!read) {
            hideKey(read.error().what);
            read.error().what = shortly(read.error().what);
        }
        return read;
    }

    /// Attempts until one succeeds, or until no other may.
    template <typename Answer>
    Result<Answer> attempts(const Asked<Answer>& asked, const CancelToken& cancel, int* status = nullptr)
    {
        double pause = firstPause;
        const auto begun = Clock::now();
        for (int tried = 1;; ++tried) {
            SPARSERL_CHECK(promise(asked.most));
            bool again = false, connected = true;
            std::optional<double> wait;
            auto answer = awaitTurn(cancel) ? attempt(asked, cancel, again, wait, status, connected)
                                            : Result<Answer>(fail(interruption()));
            settle(asked.most, answer ? asked.tokens(*answer) : 0);
            if (answer || isInterruption(answer.error()) || !again)
                return answer;
            const bool starts = asked.numbers && !connected && Clock::now() - begun < restart;
            if (tried >= mostAttempts && !starts)
                return fail(fmt::format("{} ({} attempts)", answer.error().what, tried),
                            answer.error().remedy);
            const double seconds = wait ? std::min(*wait, longestRetryAfter)
                                        : std::min(std::exchange(pause, 2 * pause), longestPause);
            if (log)
                log(fmt::format("{}; trying again in {:.3g} s", answer.error().what, seconds));
            {
                const std::lock_guard lock(mutex);
                ++use.retries;
            }
            if (!waitUntil(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds)),
                           cancel))
                return fail(interruption());
        }
    }

    HttpRequest requestTo(const char* end, std::string body) const
    {
        HttpRequest request;
        request.url = address(end);
        request.body = std::move(body);
        request.key = key;
        return request;
    }

    /// The models that the server lists.
    Result<nlohmann::json> modelList(const CancelToken& cancel) const
    {
        HttpRequest request = requestTo("models", {});
        request.stallSeconds = 30;
        SPARSERL_TRY(const HttpAnswer answer, exchange(request, cancel));
        if (answer.status != 200)
            return refusal(answer);
        SPARSERL_TRY(auto json, parseJson(answer.body));
        const auto data = json.is_object() ? json.find("data") : json.end();
        if (!json.is_object() || data == json.end() || !data->is_array())
            return fail(fmt::format("the endpoint \"{}\" gives no list of models", settings.name));
        return *data;
    }

    tl::unexpected<Error> refusal(const HttpAnswer& answer) const
    {
        std::string remedy;
        if (answer.status == 401 || answer.status == 403)
            remedy = "Check the key of the endpoint";
        else if (answer.status == 404)
            remedy = "Check the URL and the name of the model; `sparserl endpoint test` lists the models";
        else if (answer.status >= 300 && answer.status < 400)
            remedy = "The server sends requests elsewhere, which is never followed; give the final address";
        std::string reason = reasonIn(answer.body);
        hideKey(reason);
        return fail(
            fmt::format("the endpoint \"{}\" answers {}{}", settings.name, answer.status, shortly(reason)),
            remedy);
    }
};

EndpointClient::EndpointClient(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
EndpointClient::EndpointClient(EndpointClient&&) noexcept = default;
EndpointClient& EndpointClient::operator=(EndpointClient&&) noexcept = default;
EndpointClient::~EndpointClient() = default;

Result<EndpointClient> EndpointClient::make(const EndpointSettings& settings,
                                            std::function<void(std::string_view)> log)
{
    SPARSERL_CHECK(checkEndpoint(settings));
    auto impl = std::make_unique<Impl>();
    SPARSERL_TRY(impl->key, keyOf(settings));
    impl->settings = settings;
    impl->log = std::move(log);
    return EndpointClient(std::move(impl));
}

const EndpointSettings& EndpointClient::settings() const
{
    return m_impl->settings;
}

void EndpointClient::setPause(double seconds)
{
    m_impl->firstPause = seconds;
}

EndpointUse EndpointClient::use() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->use;
}

Result<ChatAnswer> EndpointClient::ask(const ChatRequest& asked, const CancelToken& cancel, int* status) const
{
    nlohmann::json messages = nlohmann::json::array();
    if (!asked.system.empty())
        messages.push_back({{"role", "system"}, {"content", asked.system}});
    messages.push_back({{"role", "user"}, {"content", asked.user}});
    nlohmann::json body = {{"model", m_impl->settings.model},
                           {"messages", std::move(messages)},
                           {"temperature", asked.temperature},
                           {"top_p", asked.topP},
                           {"max_tokens", asked.maxTokens},
                           {"stream", true},
                           {"stream_options", {{"include_usage", true}}}};
    if (asked.seed)
        body["seed"] =
            static_cast<std::int64_t>(*asked.seed & 0x7fffffff); // servers take 32 or 64 signed bits
    const std::size_t promptBytes = asked.system.size() + asked.user.size();
    Impl::Asked<ChatAnswer> request;
    request.request = m_impl->requestTo("chat/completions", dumpJson(body));
    request.most = static_cast<std::int64_t>(promptBytes / 3) + asked.maxTokens;
    request.request.stallSeconds = longestSilence;
    request.request.totalSeconds = longestAnswer;
    request.read = [this, promptBytes](const HttpAnswer& answer) {
        AnswerReader reader;
        if (answer.type == "application/json")
            reader.takeWhole(answer.body);
        else
            EventStream([&](std::string_view data) { reader.takeEvent(data); }).feed(answer.body);
        auto read = reader.finish(promptBytes);
        if (read)
            m_impl->hideLongKey(read->text);
        return read;
    };
    request.tokens = [](const ChatAnswer& answer) { return answer.promptTokens + answer.answerTokens; };
    return m_impl->attempts(request, cancel, status);
}

Result<nlohmann::json> EndpointClient::post(const std::string& path, const nlohmann::json& body,
                                            std::int64_t most,
                                            const std::function<Status(const nlohmann::json&)>& usable,
                                            const CancelToken& cancel, int* status) const
{
    Impl::Asked<nlohmann::json> request;
    request.request = m_impl->requestTo(path.c_str(), dumpJson(body));
    request.request.mostBytes =
        std::min(mostNumbers, bytesBeside + bytesOfToken * static_cast<std::size_t>(most));
    request.request.stallSeconds = request.request.totalSeconds = longestAnswer;
    request.numbers = true;
    request.most = most;
    request.read = [&usable](const HttpAnswer& answer) -> Result<nlohmann::json> {
        auto json = parseJson(answer.body);
        if (!usable)
            return json ? *json : nlohmann::json(answer.body);
        if (!json)
            return json;
        SPARSERL_CHECK(usable(*json));
        return json;
    };
    request.tokens = usedTokens;
    return m_impl->attempts(request, cancel, status);
}

Result<HttpAnswer> EndpointClient::once(const std::string& path, const nlohmann::json& body,
                                        std::int64_t most, const CancelToken& cancel) const
{
    HttpRequest request = m_impl->requestTo(path.c_str(), dumpJson(body));
    request.stallSeconds = request.totalSeconds = longestSilence;
    SPARSERL_CHECK(m_impl->promise(most));
    auto answer =
        m_impl->awaitTurn(cancel) ? exchange(request, cancel) : Result<HttpAnswer>(fail(interruption()));
    std::int64_t used = 0;
    if (answer && answer->status == 200)
        if (const auto json = parseJson(answer->body))
            used = usedTokens(*json);
    m_impl->settle(most, used);
    return answer;
}

std::string EndpointClient::refusalOf(const HttpAnswer& answer) const
{
    return shown(fmt::format("answers {}{}", answer.status, reasonIn(answer.body)));
}

std::string EndpointClient::shown(std::string words) const
{
    m_impl->hideKey(words);
    return printableLine(words.substr(0, 300));
}

Result<std::vector<std::string>> EndpointClient::models(const CancelToken& cancel) const
{
    SPARSERL_TRY(const auto data, m_impl->modelList(cancel));
    std::vector<std::string> names;
    for (const auto& entry : data)
        if (entry.is_object() && entry.contains("id") && names.size() < 10'000)
            if (auto name = jsonAs<std::string>(entry["id"]); name && !name->empty()) {
                m_impl->hideLongKey(*name);
                names.push_back(name->substr(0, 200));
            }
    return names;
}

Result<bool> EndpointClient::isOurs(const CancelToken& cancel) const
{
    SPARSERL_TRY(const auto data, m_impl->modelList(cancel));
    return data.size() == 1 && jsonValue(data[0], "owned_by", std::string()) == "sparserl";
}

} // namespace sparserl
