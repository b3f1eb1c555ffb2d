// SPDX-License-Identifier: Apache-2.0
#include "policy/files/gguf_writer.h"
#include "policy/tokenizer/named_rules.h"
#include "policy/tokenizer/tokenizer_gguf.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr std::int32_t normalToken = 1, controlToken = 3, userToken = 4;

} // namespace

Status addTokenizer(GgufWriter& writer, const Tokenizer& tokenizer, int vocabulary)
{
    const json file = tokenizer.toJson();
    const auto rules = nameOfRules(file);
    if (!rules)
        return fail("the tokenizer cuts texts by rules that have no name in GGUF files",
                    "Known are the rules of " + knownRules());
    if (tokenizer.vocabSize() != vocabulary)
        return fail(
            fmt::format("the model has {} tokens, and its tokenizer {}", vocabulary, tokenizer.vocabSize()),
            "Take tokenizer.json and config.json from the same checkpoint");
    const auto count = static_cast<std::size_t>(vocabulary);
    std::vector<std::string> tokens(count), merges;
    std::vector<std::int32_t> types(count, normalToken);
    for (const auto& [text, id] : file["model"]["vocab"].items())
        tokens[id.get<std::size_t>()] = text;
    for (const json& token : file["added_tokens"]) {
        const auto id = token["id"].get<std::size_t>();
        tokens[id] = token["content"].get<std::string>();
        types[id] = token["special"].get<bool>() ? controlToken : userToken;
    }
    for (const json& merge : file["model"]["merges"]) {
        if (!merge.is_string())
            return fail("a merge has a token with a space in it, which GGUF files do not hold");
        merges.push_back(merge.get<std::string>());
    }
    writer.add("tokenizer.ggml.model", std::string_view("gpt2"));
    writer.add("tokenizer.ggml.pre", std::string_view(*rules));
    writer.add("tokenizer.ggml.tokens", tokens);
    writer.add("tokenizer.ggml.token_type", types);
    writer.add("tokenizer.ggml.merges", merges);
    writer.add("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(tokenizer.end()));
    writer.add("tokenizer.ggml.add_bos_token", tokenizer.begin() >= 0);
    if (tokenizer.begin() >= 0)
        writer.add("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(tokenizer.begin()));
    return {};
}

} // namespace sparserl
