// SPDX-License-Identifier: Apache-2.0
#include "endpoint/capabilities.h"

#include "base/interruption.h"
#include "base/json.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/http.h"
#include "endpoint/token_numbers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace sparserl {

namespace {

using nlohmann::json;

struct CapabilityRow
{
    EndpointCapability capability;
    std::string_view name, words;
};
constexpr std::array rows{
    CapabilityRow{EndpointCapability::Models, "models", "lists the model"},
    CapabilityRow{EndpointCapability::Chat, "chat", "chat"},
    CapabilityRow{EndpointCapability::Streaming, "streaming", "streaming"},
    CapabilityRow{EndpointCapability::Completions, "completions", "completions"},
    CapabilityRow{EndpointCapability::PromptTokens, "prompt_tokens", "prompts as token IDs"},
    CapabilityRow{EndpointCapability::TokenIds, "token_ids", "IDs of drawn tokens"},
    CapabilityRow{EndpointCapability::LogProbs, "log_probabilities", "log-probabilities"},
    CapabilityRow{EndpointCapability::Adapters, "adapters", "loads adapters"}};

const CapabilityRow& rowOf(EndpointCapability capability)
{
    return rows[static_cast<std::size_t>(capability)];
}
static_assert(rows.size() == std::size(allCapabilities));
static_assert(std::ranges::all_of(rows, [](const CapabilityRow& row) {
    return &row - rows.data() == static_cast<std::ptrdiff_t>(row.capability);
}));

constexpr int forbidden = 403, unauthorised = 401, notThere = 404, otherMethod = 405;

/// Sends the requests and collects what they show.
class Probing
{
public:
    Probing(const EndpointClient& client, const CancelToken& cancel)
        : m_client(client)
        , m_cancel(cancel)
    {
    }

    Result<EndpointProbe> run()
    {
        askForModels();
        SPARSERL_CHECK(uncancelled());
        const auto chat = askInChat();
        SPARSERL_CHECK(uncancelled());
        if (chat || m_chatStatus != 0) // otherwise the other requests end alike
            continueAPrompt();
        SPARSERL_CHECK(uncancelled());
        if (chat || m_probe.has(EndpointCapability::Completions))
            askForAdapters();
        else
            m_probe.problem = chat.error();
        SPARSERL_CHECK(uncancelled());
        return std::move(m_probe);
    }

private:
    Status uncancelled() const
    {
        if (m_cancel.cancelled())
            return fail(interruption());
        return {};
    }
    void add(EndpointCapability capability, bool available, std::string reason)
    {
        m_probe.tested.push_back({capability, available, available ? std::string() : std::move(reason)});
    }

    void askForModels()
    {
        const auto models = m_client.models(m_cancel);
        if (models)
            m_probe.models = *models;
        const std::string& model = m_client.settings().model;
        const bool listed =
            std::find(m_probe.models.begin(), m_probe.models.end(), model) != m_probe.models.end();
        add(EndpointCapability::Models, listed,
            models ? "the server does not list the model " + model
                   : "the server gives no list of models: " + m_client.shown(models.error().what));
    }

    Status askInChat()
    {
        ChatRequest request;
        request.user = "Answer with the single word ready.";
        request.temperature = 0;
        request.maxTokens = 256; // models that think first need some
        const auto answer = m_client.ask(request, m_cancel, &m_chatStatus);
        if (m_chatStatus == unauthorised || m_chatStatus == forbidden)
            m_chatStatus = 0;
        if (answer) {
            m_probe.answer = answer->text;
            m_probe.tokens = answer->promptTokens + answer->answerTokens;
        }
        const std::string reason = answer ? std::string() : answer.error().what;
        add(EndpointCapability::Chat, answer.has_value(), reason);
        add(EndpointCapability::Streaming, answer && answer->streamed,
            answer ? "the answer comes as a whole" : reason);
        if (!answer)
            return fail(answer.error());
        return {};
    }

    /// The choice in an answer to a prompt; null with the reason if there is none.
    json choiceFor(const json& prompt, bool plain, std::string& reason) const
    {
        json body{{"model", m_client.settings().model},
                  {"prompt", prompt},
                  {"max_tokens", 1},
                  {"temperature", 1},
                  {"logprobs", 1}};
        if (!plain) {
            body["return_token_ids"] = true;
            body["return_tokens_as_token_ids"] = true;
        }
        constexpr std::int64_t most = 64;
        const auto answer = m_client.once("completions", body, most, m_cancel);
        if (!answer) {
            reason = answer.error().what;
            return {};
        }
        if (answer->status != 200) {
            reason = "the server " + m_client.refusalOf(*answer);
            return {};
        }
        const auto read = parseJson(answer->body);
        if (!read || !read->is_object() || !read->contains("choices") || !(*read)["choices"].is_array() ||
            (*read)["choices"].empty()) {
            reason = "the answer has no choices";
            return {};
        }
        return (*read)["choices"][0];
    }

    void continueAPrompt()
    {
        std::string reason;
        json choice = choiceFor("ready", false, reason);
        const bool plain = choice.is_null(); // some servers refuse members that they do not know
        if (plain && !m_cancel.cancelled())
            choice = choiceFor("ready", true, reason);
        const bool completes = !choice.is_null();
        add(EndpointCapability::Completions, completes, reason);
        const TokenNumbers numbers = tokenNumbersIn(choice);
        const bool ids = numbers.ids && !numbers.ids->empty();
        const bool logProbs = numbers.logProbs && !numbers.logProbs->empty();
        std::string withIds = reason;
        // Two tokens that every vocabulary has.
        const bool promptTokens = completes && !choiceFor({1, 2}, plain, withIds).is_null();
        add(EndpointCapability::PromptTokens, promptTokens, withIds);
        add(EndpointCapability::TokenIds, ids, completes ? "the answer has no IDs of tokens" : reason);
        add(EndpointCapability::LogProbs, logProbs,
            completes ? "the answer has no log-probabilities" : reason);
    }

    /// A request without a name loads nothing. A server that knows the path says so.
    void askForAdapters()
    {
        const auto answer =
            m_client.once("load_lora_adapter", {{"lora_name", ""}, {"lora_path", ""}}, 0, m_cancel);
        const int status = answer ? answer->status : notThere;
        const bool known = status != notThere && status != otherMethod && status != unauthorised &&
                           status != forbidden && status < 500;
        add(EndpointCapability::Adapters, known,
            answer ? "the server " + m_client.refusalOf(*answer) : answer.error().what);
    }

    const EndpointClient& m_client;
    const CancelToken& m_cancel;
    EndpointProbe m_probe;
    int m_chatStatus = 0; ///< Of the answer in chat; 0: no server, a wrong key or no budget.
};

} // namespace

std::string_view nameOf(EndpointCapability capability)
{
    return rowOf(capability).name;
}

std::string_view wordsOf(EndpointCapability capability)
{
    return rowOf(capability).words;
}

bool EndpointProbe::has(EndpointCapability capability) const
{
    const auto found = std::find_if(tested.begin(), tested.end(),
                                    [&](const auto& one) { return one.capability == capability; });
    return found != tested.end() && found->available;
}

Result<EndpointProbe> probeEndpoint(const EndpointClient& client, const CancelToken& cancel)
{
    return Probing(client, cancel).run();
}

json toJson(const std::vector<TestedCapability>& tested)
{
    json list = json::array();
    for (const TestedCapability& one : tested)
        list.push_back(
            {{"capability", nameOf(one.capability)}, {"available", one.available}, {"reason", one.reason}});
    return list;
}

std::vector<TestedCapability> testedCapabilitiesFromJson(const json& list)
{
    std::vector<TestedCapability> tested;
    if (!list.is_array())
        return tested;
    for (const json& one : list) {
        const auto name = jsonValue(one, "capability", std::string());
        for (const EndpointCapability capability : allCapabilities) {
            if (name == nameOf(capability))
                tested.push_back({capability, jsonValue(one, "available", false),
                                  jsonValue(one, "reason", std::string())});
        }
    }
    return tested;
}

} // namespace sparserl
