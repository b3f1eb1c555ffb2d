// SPDX-License-Identifier: Apache-2.0
// Chat templates in the files of a model, which are recognised and kept but never executed, and
// conversations in the built-in formats. The input is a template, tokenizer_config.json,
// generation_config.json, and a list of messages.
#include "base/json.h"
#include "base/printable.h"
#include "fuzz.h"
#include "policy/causal/passed_on.h"
#include "policy/tokenizer/chat_format.h"
#include "policy/tokenizer/tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkError;
using nlohmann::json;

/// A tokenizer of bytes that has the special tokens of all formats.
Tokenizer tokenizerOfAll()
{
    json file = Tokenizer().toJson();
    auto id = static_cast<int>(Tokenizer().vocabSize());
    for (const char* name :
         {"<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
          "<|eot_id|>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
          "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>"})
        file["added_tokens"].push_back({{"id", id++},
                                        {"content", name},
                                        {"single_word", false},
                                        {"lstrip", false},
                                        {"rstrip", false},
                                        {"normalized", false},
                                        {"special", true}});
    auto tokenizer = Tokenizer::fromJson(file);
    FUZZ_CHECK(tokenizer.has_value());
    return std::move(*tokenizer);
}

std::ptrdiff_t specialIn(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids)
{
    return std::ranges::count_if(ids, [&](std::int32_t id) { return tokenizer.bytes(id).empty(); });
}

/// Messages are text: none begins or ends a turn, whatever it says.
void checkMessages(const std::vector<ChatMessage>& messages)
{
    static const Tokenizer tokenizer = tokenizerOfAll();
    std::vector<ChatMessage> empty = messages;
    for (ChatMessage& message : empty)
        message.content.clear();
    for (const std::string& name : ChatFormat::list()) {
        const auto format = ChatFormat::named(name);
        FUZZ_CHECK(format.has_value() && format->check(tokenizer).has_value());
        const std::string text = format->text(messages, false), asked = format->text(messages, true);
        FUZZ_CHECK(isUtf8(text) && asked.starts_with(text));
        const auto ids = format->tokens(tokenizer, messages, true);
        const auto bare = format->tokens(tokenizer, empty, true);
        FUZZ_CHECK(ids.has_value() && bare.has_value());
        FUZZ_CHECK(specialIn(tokenizer, *ids) == specialIn(tokenizer, *bare));
        const auto next = format->nextTurn(tokenizer, messages.back().content, true);
        const auto nothing = format->nextTurn(tokenizer, "", true);
        FUZZ_CHECK(next.has_value() && nothing.has_value());
        FUZZ_CHECK(specialIn(tokenizer, *next) == specialIn(tokenizer, *nothing));
    }
}

/// What a model's folder says. A template that is read can be written into a policy's config.json.
void checkFolder(const std::filesystem::path& folder)
{
    const auto chat = chatTemplateOf(folder);
    if (!chat)
        checkError(chat.error());
    const auto passedOn = passedOnOf(folder, chat ? chat->value_or(std::string()) : std::string());
    if (!passedOn) {
        checkError(passedOn.error());
        return;
    }
    FUZZ_CHECK(isUtf8(passedOn->chatTemplate));
    json own = json::object();
    writePassedOn(*passedOn, own);
    const auto parsed = parseJson(own.dump());
    FUZZ_CHECK(parsed.has_value());
    const auto again = passedOnFromJson(*parsed);
    FUZZ_CHECK(again.has_value() && again->chatTemplate == passedOn->chatTemplate &&
               again->generationConfig == passedOn->generationConfig);
    FUZZ_CHECK(passedOn->generationConfig.empty() || json::parse(passedOn->generationConfig).is_object());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    const auto format = ChatFormat::recognised(text);
    if (format)
        FUZZ_CHECK(ChatFormat::named(format->name()).has_value());
    else
        checkError(format.error());
    // The conversation of a user who says the input.
    if (isUtf8(text))
        checkMessages({{ChatRole::System, "Be brief."}, {ChatRole::User, std::string(text)}});
    const auto folder = fuzz::scratch("chat_template");
    for (const char* name : {"chat_template.jinja", "tokenizer_config.json", "generation_config.json"}) {
        fuzz::writeFile(folder / name, text);
        checkFolder(folder);
        std::filesystem::remove(folder / name);
    }
    const auto value = parseJson(text);
    if (!value) {
        checkError(value.error());
        return 0;
    }
    if (const auto passedOn = passedOnFromJson(*value); !passedOn)
        checkError(passedOn.error());
    const auto messages = chatMessagesFromJson(*value);
    if (messages)
        checkMessages(*messages);
    else
        checkError(messages.error());
    return 0;
}
