// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/served_request.h"

#include "base/json.h"
#include "matrix/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

namespace sparserl {

namespace {

/// Reads members of a body one after another.
class Members
{
public:
    explicit Members(const nlohmann::json& body)
        : m_body(body)
    {
    }
    /// The member, or null if it is missing or null.
    const nlohmann::json* find(const char* name) const
    {
        const auto found = m_body.find(name);
        return found == m_body.end() || found->is_null() ? nullptr : &*found;
    }
    template <typename T, typename Into>
    Status read(const char* name, Into& into, const char* kind) const
    {
        const auto* member = find(name);
        if (member == nullptr)
            return {};
        const auto value = jsonAs<T>(*member);
        if (!value)
            return fail(fmt::format("\"{}\" must be {}", name, kind));
        into = *value; // NOLINT(bugprone-optional-value-conversion): of any T, also without optional
        return {};
    }

private:
    const nlohmann::json& m_body;
};

template <typename T>
Status checkRange(const char* name, T value, T low, T high)
{
    if (value >= low && value <= high) // false for NaN
        return {};
    return fail(fmt::format("\"{}\" must be {} to {}", name, low, high));
}

Result<std::vector<float>> singlePrecision(const std::vector<double>& values, const char* name)
{
    std::vector<float> all;
    all.reserve(values.size());
    for (const double value : values) {
        if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
            return fail(fmt::format("\"{}\" must hold finite single-precision numbers", name));
        all.push_back(static_cast<float>(value));
    }
    return all;
}

Result<std::shared_ptr<const Csr>> matrixIn(const nlohmann::json& json, const ServedLimits& limits)
{
    if (!json.is_object())
        return fail("\"matrix\" must be an object with rows, cols, row_ptr and col");
    const Members members(json);
    auto matrix = std::make_shared<Csr>();
    std::optional<std::vector<std::int32_t>> rowPtr, col;
    std::optional<std::vector<double>> values;
    SPARSERL_CHECK(members.read<std::int32_t>("rows", matrix->rows, "a whole number"));
    SPARSERL_CHECK(members.read<std::int32_t>("cols", matrix->cols, "a whole number"));
    SPARSERL_CHECK(members.read<std::vector<std::int32_t>>("row_ptr", rowPtr, "a list of whole numbers"));
    SPARSERL_CHECK(members.read<std::vector<std::int32_t>>("col", col, "a list of whole numbers"));
    SPARSERL_CHECK(members.read<std::vector<double>>("val", values, "a list of numbers"));
    if (!rowPtr || !col)
        return fail("\"matrix\" must have row_ptr and col");
    if (static_cast<std::int64_t>(col->size()) > limits.entries)
        return fail(fmt::format("the matrix has more than {} entries", limits.entries));
    matrix->rowPtr = std::move(*rowPtr);
    matrix->col = std::move(*col);
    if (values && values->size() != matrix->col.size())
        return fail("\"val\" must have as many numbers as \"col\"");
    if (!values) {
        matrix->val.assign(matrix->col.size(), 1);
    } else {
        SPARSERL_TRY(matrix->val, singlePrecision(*values, "val"));
    }
    if (!matrix->valid())
        return fail(
            "\"matrix\" is no matrix in CSR form: row_ptr must ascend from 0 to the number of entries, "
            "and the columns of each row must ascend strictly within 0 to cols - 1");
    if (!values)
        fillSeededValues(*matrix);
    return matrix;
}

/// Numbers alone: their policy knows how many it needs (ServedPolicy).
Result<std::shared_ptr<const MatrixTokens>> matrixTokensIn(const nlohmann::json& json)
{
    if (!json.is_object())
        return fail("\"matrix_tokens\" must be an object with count, entries and features");
    const Members members(json);
    auto tokens = std::make_shared<MatrixTokens>();
    SPARSERL_CHECK(members.read<int>("count", tokens->count, "a whole number"));
    for (const auto& [name, into] :
         {std::pair("entries", &tokens->entries), std::pair("features", &tokens->features)}) {
        std::vector<double> numbers;
        SPARSERL_CHECK(members.read<std::vector<double>>(name, numbers, "a list of numbers"));
        SPARSERL_TRY(*into, singlePrecision(numbers, name));
    }
    SPARSERL_CHECK(
        members.read<std::vector<std::int32_t>>("parents", tokens->parents, "a list of whole numbers"));
    for (std::size_t i = 0; i < tokens->parents.size(); ++i)
        if (tokens->parents[i] < -1 || tokens->parents[i] >= static_cast<std::int64_t>(i))
            return fail("in \"matrix_tokens\", the parent of an entry must come before it");
    return tokens;
}

/// The prompt, the matrix and the seeds.
Status readInput(const Members& members, const ServedLimits& limits, ServedRequest& request)
{
    if (request.chat) {
        const auto* messages = members.find("messages");
        if (messages == nullptr)
            return fail("\"messages\" is missing");
        SPARSERL_TRY(request.messages, chatMessagesFromJson(*messages));
    } else if (const auto* prompt = members.find("prompt"); prompt != nullptr && prompt->is_array()) {
        SPARSERL_CHECK(members.read<std::vector<std::int32_t>>("prompt", request.promptIds,
                                                               "a text or a list of token IDs"));
    } else {
        SPARSERL_CHECK(members.read<std::string>("prompt", request.prompt, "a text or a list of token IDs"));
    }
    std::size_t bytes = request.prompt ? request.prompt->size() : 0;
    for (const ChatMessage& message : request.messages)
        bytes += message.content.size();
    if (bytes > 16 * limits.prompt)
        return fail(fmt::format("the prompt may have at most {} bytes", 16 * limits.prompt));
    if (request.promptIds && request.promptIds->size() > limits.prompt)
        return fail(fmt::format("the prompt may have at most {} tokens", limits.prompt));
    const auto *matrix = members.find("matrix"), *tokens = members.find("matrix_tokens");
    if (matrix != nullptr && tokens != nullptr)
        return fail("give \"matrix\" or \"matrix_tokens\", not both");
    if (matrix != nullptr) {
        SPARSERL_TRY(request.matrix, matrixIn(*matrix, limits));
    }
    if (tokens != nullptr) {
        SPARSERL_TRY(request.matrixTokens, matrixTokensIn(*tokens));
    }
    SPARSERL_CHECK(members.read<std::uint64_t>("seed", request.seed, "a whole number from 0"));
    SPARSERL_CHECK(
        members.read<std::vector<std::uint64_t>>("seeds", request.seeds, "a list of whole numbers from 0"));
    if (!request.seeds.empty() && request.seeds.size() != static_cast<std::size_t>(request.count))
        return fail("\"seeds\" must have \"n\" numbers");
    return {};
}

} // namespace

Result<ServedRequest> servedRequest(const nlohmann::json& body, bool chat, const ServedLimits& limits)
{
    if (!body.is_object())
        return fail("the body must be a JSON object");
    const Members members(body);
    for (const char* name : {"stop", "tools", "tool_choice", "functions", "response_format", "logit_bias",
                             "presence_penalty", "frequency_penalty", "suffix", "best_of", "echo"}) {
        const auto* member = members.find(name);
        const bool changes = member != nullptr && *member != false && *member != 0 && *member != 1 &&
                             !(member->is_array() && member->empty()) && *member != "none";
        if (changes)
            return fail(fmt::format("\"{}\" is not supported", name));
    }
    ServedRequest request;
    request.chat = chat;
    SPARSERL_CHECK(members.read<int>("n", request.count, "a whole number"));
    SPARSERL_CHECK(checkRange("n", request.count, 1, limits.count));
    SPARSERL_CHECK(readInput(members, limits, request));
    SPARSERL_CHECK(members.read<int>("max_tokens", request.maxTokens, "a whole number"));
    if (!request.maxTokens) {
        SPARSERL_CHECK(members.read<int>("max_completion_tokens", request.maxTokens, "a whole number"));
    }
    SPARSERL_CHECK(checkRange("max_tokens", request.maxTokens.value_or(1), 1, limits.tokens));
    SPARSERL_CHECK(members.read<double>("temperature", request.temperature, "a number"));
    SPARSERL_CHECK(checkRange("temperature", request.temperature.value_or(1), 0.0, 100.0));
    SPARSERL_CHECK(members.read<double>("top_p", request.topP, "a number"));
    SPARSERL_CHECK(checkRange("top_p", request.topP, 1e-6, 1.0));
    for (const auto& [name, flag] :
         {std::pair("stream", &request.stream), std::pair("verifier", &request.verifier)})
        SPARSERL_CHECK(members.read<bool>(name, *flag, "true or false"));
    SPARSERL_CHECK(members.read<std::string>("fingerprint", request.fingerprint, "a text"));
    if (const auto* wanted = members.find("logprobs")) { // a number of alternatives in completions
        if (!wanted->is_boolean() && !jsonAs<int>(*wanted))
            return fail("\"logprobs\" must be true, false or a number");
        request.logProbs = *wanted != false;
    }
    if (request.stream && request.logProbs)
        return fail("\"logprobs\" are not streamed");
    return request;
}

std::string finishReason(const Sample& sample)
{
    if (sample.finished)
        return "stop";
    return sample.stopReason.empty() ? "length" : "verifier";
}

nlohmann::json servedAnswer(const ServedRequest& request, const std::string& model, std::size_t promptTokens,
                            const std::vector<Sample>& samples, const std::vector<std::string>& texts,
                            std::int64_t created)
{
    nlohmann::json choices = nlohmann::json::array();
    std::size_t written = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample& sample = samples[i];
        written += sample.tokens.size();
        nlohmann::json choice = {{"index", i}, {"finish_reason", finishReason(sample)}};
        if (request.chat)
            choice["message"] = {{"role", "assistant"}, {"content", texts[i]}};
        else
            choice["text"] = texts[i];
        if (!sample.stopReason.empty())
            choice["stop_reason"] = sample.stopReason;
        choice["logprobs"] = nullptr;
        if (request.logProbs)
            choice["logprobs"] = {{"token_ids", sample.tokens},
                                  {"token_logprobs", sample.logProbs},
                                  {"behaviour_logprobs", sample.behaviourLogProbs}};
        choices.push_back(std::move(choice));
    }
    return {{"id", "sparserl"},
            {"object", request.chat ? "chat.completion" : "text_completion"},
            {"created", created},
            {"model", model},
            {"choices", std::move(choices)},
            {"usage",
             {{"prompt_tokens", promptTokens},
              {"completion_tokens", written},
              {"total_tokens", promptTokens + written}}}};
}

nlohmann::json servedPiece(const ServedRequest& request, const std::string& model, std::size_t choice,
                           const std::string& text, const std::optional<std::string>& reason,
                           std::int64_t created)
{
    nlohmann::json one = {{"index", choice}, {"finish_reason", nullptr}};
    if (reason)
        one["finish_reason"] = *reason;
    if (request.chat)
        one["delta"] = {{"content", text}};
    else
        one["text"] = text;
    return {{"id", "sparserl"},
            {"object", request.chat ? "chat.completion.chunk" : "text_completion"},
            {"created", created},
            {"model", model},
            {"choices", {std::move(one)}}};
}

nlohmann::json servedError(const std::string& sentence, const std::string& type)
{
    return {{"error", {{"message", sentence}, {"type", type}}}};
}

} // namespace sparserl
