// SPDX-License-Identifier: Apache-2.0
#include "endpoint/token_numbers.h"

#include "base/json.h"
#include "base/json_member.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

namespace {

using nlohmann::json;

template <typename T>
std::optional<std::vector<T>> listIn(const json& object, const char* name)
{
    const json* list = memberOf(object, name);
    return list != nullptr ? jsonAs<std::vector<T>>(*list) : std::nullopt;
}

/// "token_id:17", as vLLM writes tokens if asked to.
std::optional<std::vector<std::int32_t>> namedIds(const json& object)
{
    constexpr std::string_view before = "token_id:";
    const auto names = listIn<std::string>(object, "tokens");
    if (!names)
        return std::nullopt;
    std::vector<std::int32_t> ids;
    for (const std::string& name : *names) {
        std::int32_t id = -1;
        const char* const end = name.data() + name.size();
        if (!name.starts_with(before) || std::from_chars(name.data() + before.size(), end, id).ptr != end ||
            id < 0)
            return std::nullopt;
        ids.push_back(id);
    }
    return ids;
}

/// A list of objects with id and logprob, as llama.cpp writes them.
TokenNumbers contentOf(const json& content)
{
    TokenNumbers found;
    if (!content.is_array())
        return found;
    std::vector<std::int32_t> ids;
    std::vector<float> logProbs;
    bool allIds = true, allLogProbs = true;
    for (const json& token : content) {
        ids.push_back(jsonValue(token, "id", std::int32_t(-1)));
        logProbs.push_back(jsonValue(token, "logprob", std::numeric_limits<float>::quiet_NaN()));
        allIds = allIds && ids.back() >= 0;
        allLogProbs = allLogProbs && !std::isnan(logProbs.back());
    }
    if (allIds)
        found.ids = std::move(ids);
    if (allLogProbs)
        found.logProbs = std::move(logProbs);
    return found;
}

} // namespace

TokenNumbers tokenNumbersIn(const json& choice)
{
    const json* given = memberOf(choice, "logprobs");
    if (given == nullptr)
        return {listIn<std::int32_t>(choice, "token_ids"), {}, {}};
    if (const json* content = memberOf(*given, "content"))
        return contentOf(*content);
    TokenNumbers found;
    found.ids = listIn<std::int32_t>(*given, "token_ids");
    if (!found.ids)
        found.ids = listIn<std::int32_t>(choice, "token_ids");
    if (!found.ids)
        found.ids = namedIds(*given);
    found.logProbs = listIn<float>(*given, "token_logprobs");
    found.behaviourLogProbs = listIn<float>(*given, "behaviour_logprobs");
    return found;
}

} // namespace sparserl
