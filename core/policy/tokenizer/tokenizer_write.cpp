// SPDX-License-Identifier: Apache-2.0
// tokenizer.json as Hugging Face's `tokenizers` reads it.
#include "policy/tokenizer/post_processor.h"
#include "policy/tokenizer/tokenizer_tables.h"

#include "base/files.h"

#include <string>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr std::string_view codePattern = "[0-9]+|[\\r\\n]+[^0-9\\r\\n]*|[^0-9\\r\\n]+";

} // namespace

json preTokenizerJson(PreTokenizer rule)
{
    const bool gpt2 = rule == PreTokenizer::Gpt2;
    json byteLevel = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", gpt2}};
    if (gpt2)
        return byteLevel;
    const json split = {{"type", "Split"},
                        {"pattern", {{"Regex", codePattern}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    return {{"type", "Sequence"}, {"pretokenizers", json::array({split, byteLevel})}};
}

json Tokenizer::toJson() const
{
    const Tables& t = *m_tables;
    json value = {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"normalizer", nullptr},
        {"pre_tokenizer", nullptr},
        {"post_processor", nullptr},
        {"decoder",
         {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}}},
        {"model",
         {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false}}}};
    if (t.preTokenizer != PreTokenizer::File)
        value["pre_tokenizer"] = preTokenizerJson(t.preTokenizer);
    if (t.file.is_object()) {
        for (const auto& [key, member] : t.file.items()) {
            if (key != "model")
                value[key] = member;
        }
        value["model"].update(t.file["model"]);
    }
    if (addedToken(firstTokenOf(value["post_processor"])).value_or(-1) != m_begin)
        value["post_processor"] = processorWithFirst(
            m_begin < 0 ? std::string() : t.spelling(static_cast<std::size_t>(m_begin)), m_begin);
    std::vector<bool> ofModel(t.tokens.size(), true);
    json added = json::array();
    for (const AddedToken& token : t.added) {
        added.push_back({{"id", token.id},
                         {"content", token.content},
                         {"single_word", token.singleWord},
                         {"lstrip", token.takesLeft},
                         {"rstrip", token.takesRight},
                         {"normalized", token.normalized},
                         {"special", token.special}});
        ofModel[static_cast<std::size_t>(token.id)] = token.ofModel;
    }
    value["added_tokens"] = std::move(added);
    json vocab = json::object(), merges = json::array();
    for (std::size_t id = 0; id < t.tokens.size(); ++id) {
        if (ofModel[id])
            vocab[t.spelling(id)] = id;
    }
    std::vector<std::pair<std::string, std::string>> spelled;
    bool spaces = false;
    for (const auto& [left, right] : t.mergeList) {
        spelled.emplace_back(t.spelling(static_cast<std::size_t>(left)),
                             t.spelling(static_cast<std::size_t>(right)));
        spaces = spaces || spelled.back().first.find(' ') != std::string::npos ||
                 spelled.back().second.find(' ') != std::string::npos;
    }
    for (const auto& [left, right] : spelled)
        merges.push_back(spaces ? json::array({left, right}) : json(left + " " + right));
    value["model"]["vocab"] = std::move(vocab);
    value["model"]["merges"] = std::move(merges);
    return value;
}

Status Tokenizer::save(const std::filesystem::path& file) const
{
    return writeFileAtomic(file, toJson().dump(1) + "\n");
}

} // namespace sparserl
