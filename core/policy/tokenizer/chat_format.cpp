// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/chat_format.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/printable.h"
#include "policy/files/gguf_header.h"
#include "policy/tokenizer/unicode_classes.h"
#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sparserl {

using nlohmann::json;

/// Which of an answer's thoughts are repeated in later turns.
enum class Thoughts
{
    Kept,
    OfLastTurn, ///< Those after the user's last message (Qwen3).
    Dropped     ///< DeepSeek-R1
};

struct ChatFormat::Rules
{
    std::string_view name;
    std::array<std::string_view, 2> begin; ///< Special tokens in front of everything, or empty.
    std::string_view start; ///< Special token in front of a role's name; empty: the roles are tokens.
    std::array<std::string_view, 3> roles; ///< The roles as tokens, in ChatRole's order, or empty.
    std::string_view afterRole;            ///< Special token after it, or empty.
    std::string_view beforeContent;        ///< Text.
    std::string_view end;                  ///< Special token after a message, or empty.
    std::string_view afterEnd;             ///< Text.
    std::string_view system;               ///< The system's message where there is none; empty: none.
    std::string_view opensAnswer;          ///< Text that an answer goes on from.
    Thoughts thoughts = Thoughts::Kept;
    bool trimmed = false; ///< Messages lose white space at their ends.
};

namespace {

constexpr std::string_view openingThought = "<think>", closingThought = "</think>";

constexpr std::array<ChatFormat::Rules, 8> formats{
    {{.name = "chatml",
      .start = "<|im_start|>",
      .beforeContent = "\n",
      .end = "<|im_end|>",
      .afterEnd = "\n"},
     {.name = "smollm2",
      .start = "<|im_start|>",
      .beforeContent = "\n",
      .end = "<|im_end|>",
      .afterEnd = "\n",
      .system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"},
     {.name = "qwen2.5",
      .start = "<|im_start|>",
      .beforeContent = "\n",
      .end = "<|im_end|>",
      .afterEnd = "\n",
      .system = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."},
     {.name = "qwen3",
      .start = "<|im_start|>",
      .beforeContent = "\n",
      .end = "<|im_end|>",
      .afterEnd = "\n",
      .thoughts = Thoughts::OfLastTurn},
     {.name = "qwen3-no-thinking",
      .start = "<|im_start|>",
      .beforeContent = "\n",
      .end = "<|im_end|>",
      .afterEnd = "\n",
      .opensAnswer = "<think>\n\n</think>\n\n",
      .thoughts = Thoughts::OfLastTurn},
     {.name = "llama3",
      .begin = {"<|begin_of_text|>"},
      .start = "<|start_header_id|>",
      .afterRole = "<|end_header_id|>",
      .beforeContent = "\n\n",
      .end = "<|eot_id|>",
      .trimmed = true},
     {.name = "deepseek-r1",
      .begin = {"<｜begin▁of▁sentence｜>"},
      .roles = {"", "<｜User｜>", "<｜Assistant｜>"},
      .end = "<｜end▁of▁sentence｜>",
      .opensAnswer = "<think>\n",
      .thoughts = Thoughts::Dropped},
     {.name = "glm4",
      .begin = {"[gMASK]", "<sop>"},
      .roles = {"<|system|>", "<|user|>", "<|assistant|>"},
      .beforeContent = "\n"}}};

/// Published templates (tests/tools/make_chat_fixture.py writes this list).
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> templates{
    {{"153280e3ff55d19da1398bdb3914ee2a51b80429bfaedde11d7d216c39db80f3", "chatml"},
     {"64f85b198065d0fba2a81f37e10ed68161ce2c19a754c7100e67e0ca2ee9c326", "chatml"},
     {"872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788", "smollm2"},
     {"55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a", "qwen2.5"},
     {"a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8", "qwen3"},
     {"ba03a121d097859c7b5b9cd03af99aafe95275210d2876f642ad9929a150f122", "llama3"},
     {"563b1ce7d61d50a9b4c7439a912a1116f095b712df5b5e4d3e1116049874eb64", "deepseek-r1"}}};

std::string_view nameOf(ChatRole role)
{
    return role == ChatRole::System ? "system" : role == ChatRole::User ? "user" : "assistant";
}

/// As Python's str.strip().
std::string_view stripped(std::string_view text)
{
    const auto isSpace = [](const Utf8Character& c) {
        return c.size > 0 && (isUnicodeSpace(c.code) || (c.code >= 0x1C && c.code <= 0x1F));
    };
    while (!text.empty() && isSpace(utf8CharacterAt(text, 0)))
        text.remove_prefix(utf8CharacterAt(text, 0).size);
    for (auto last = utf8CharacterBefore(text, text.size()); isSpace(last);
         last = utf8CharacterBefore(text, text.size()))
        text.remove_suffix(last.size);
    return text;
}

std::string_view withoutLinesBefore(std::string_view text)
{
    return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string_view withoutLinesBehind(std::string_view text)
{
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

/// What an answer thought, and what it said.
struct Answer
{
    std::string_view thought, said;
};

Answer qwenAnswer(std::string_view content)
{
    const std::size_t first = content.find(closingThought);
    if (first == std::string_view::npos)
        return {{}, content};
    std::string_view thought = withoutLinesBehind(content.substr(0, first));
    if (const std::size_t open = thought.rfind(openingThought); open != std::string_view::npos)
        thought.remove_prefix(open + openingThought.size());
    const std::size_t last = content.rfind(closingThought) + closingThought.size();
    return {withoutLinesBehind(withoutLinesBefore(thought)), withoutLinesBefore(content.substr(last))};
}

/// The user's last message that is not a tool's; the last message where there is none.
std::size_t lastQuestion(std::span<const ChatMessage> messages)
{
    for (std::size_t i = messages.size(); i-- > 0;) {
        const std::string& content = messages[i].content;
        const bool ofTool = content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
        if (messages[i].role == ChatRole::User && !ofTool)
            return i;
    }
    return messages.size() - 1;
}

} // namespace

Result<std::vector<ChatMessage>> chatMessagesFromJson(const json& value)
{
    const std::string remedy = R"(Write a list such as [{"role": "user", "content": "Hello"}])";
    if (!value.is_array() || value.empty())
        return fail("this is not a list of messages", remedy);
    std::vector<ChatMessage> messages;
    for (const json& one : value) {
        const auto role = jsonRequire<std::string>(one, "role");
        const auto content = jsonRequire<std::string>(one, "content");
        if (!role || !content || one.size() != 2)
            return fail(
                fmt::format("message {} has not the members \"role\" and \"content\" alone, both texts",
                            messages.size() + 1),
                remedy);
        const std::array roles{ChatRole::System, ChatRole::User, ChatRole::Assistant};
        const auto known = std::ranges::find_if(roles, [&](ChatRole r) { return *role == nameOf(r); });
        if (known == roles.end())
            return fail(
                fmt::format("the role of message {} is not system, user or assistant", messages.size() + 1),
                remedy);
        messages.push_back({*known, *content});
    }
    return messages;
}

ChatFormat::ChatFormat(const Rules& rules)
    : m_name(rules.name)
    , m_rules(&rules)
{
}

std::vector<std::string> ChatFormat::list()
{
    std::vector<std::string> all;
    all.reserve(std::size(formats));
    for (const Rules& rules : formats)
        all.emplace_back(rules.name);
    return all;
}

std::string ChatFormat::names()
{
    return fmt::format("{}", fmt::join(list(), ", "));
}

Result<ChatFormat> ChatFormat::named(std::string_view name)
{
    const auto found = std::ranges::find(formats, name, &Rules::name);
    if (found == formats.end())
        return fail("there is no chat format of that name", "Choose one of " + names());
    return ChatFormat(*found);
}

Result<ChatFormat> ChatFormat::ofTemplateHash(std::string_view sha256)
{
    for (const auto& [hash, name] : templates) {
        if (hash == sha256)
            return named(name);
    }
    return fail("the model's chat template is none that is known here",
                "Where one of these formats is the same, name it with --chat: " + names());
}

Result<ChatFormat> ChatFormat::recognised(std::string_view jinjaTemplate)
{
    return ofTemplateHash(sha256Hex(stripped(jinjaTemplate)));
}

void ChatFormat::addStart(Pieces& into, ChatRole role) const
{
    if (m_rules->start.empty()) {
        if (const auto token = m_rules->roles[static_cast<std::size_t>(role)]; !token.empty())
            into.push_back({std::string(token), true});
    } else {
        into.push_back({std::string(m_rules->start), true});
        into.push_back({std::string(nameOf(role)), false});
    }
    if (!m_rules->afterRole.empty())
        into.push_back({std::string(m_rules->afterRole), true});
    into.push_back({std::string(m_rules->beforeContent), false});
}

void ChatFormat::addEnd(Pieces& into, ChatRole role) const
{
    if (m_rules->end.empty() || (m_rules->start.empty() && role != ChatRole::Assistant))
        return;
    into.push_back({std::string(m_rules->end), true});
    into.push_back({std::string(m_rules->afterEnd), false});
}

void ChatFormat::addTurn(Pieces& into, ChatRole role, const std::string& content) const
{
    addStart(into, role);
    into.push_back({m_rules->trimmed ? std::string(stripped(content)) : content, false});
    addEnd(into, role);
}

ChatFormat::Pieces ChatFormat::pieces(std::span<const ChatMessage> messages, bool answers) const
{
    Pieces pieces;
    for (const std::string_view token : m_rules->begin) {
        if (!token.empty())
            pieces.push_back({std::string(token), true});
    }
    // DeepSeek's system stands bare.
    const bool bare = m_rules->start.empty() && m_rules->roles.front().empty();
    if (bare) { // all of the system's messages come first
        std::string system;
        bool any = false;
        for (const ChatMessage& message : messages) {
            if (message.role != ChatRole::System)
                continue;
            system += (any ? "\n\n" : "") + message.content;
            any = true;
        }
        pieces.push_back({system, false});
    } else if (!m_rules->system.empty() && !messages.empty() && messages[0].role != ChatRole::System) {
        addTurn(pieces, ChatRole::System, std::string(m_rules->system));
    }
    const std::size_t question = lastQuestion(messages);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& [role, content] = messages[i];
        if (bare && role == ChatRole::System)
            continue;
        if (role != ChatRole::Assistant || m_rules->thoughts == Thoughts::Kept) {
            addTurn(pieces, role, content);
        } else if (m_rules->thoughts == Thoughts::Dropped) {
            const std::size_t last = content.rfind(closingThought);
            addTurn(pieces, role,
                    last == std::string::npos ? content : content.substr(last + closingThought.size()));
        } else {
            const auto [thought, said] = qwenAnswer(content);
            const bool thinks = i > question && (i + 1 == messages.size() || !thought.empty());
            addTurn(pieces, role,
                    thinks ? fmt::format("<think>\n{}\n</think>\n\n{}", thought, withoutLinesBefore(said))
                           : std::string(said));
        }
    }
    if (answers) {
        addStart(pieces, ChatRole::Assistant);
        pieces.push_back({std::string(m_rules->opensAnswer), false});
    }
    return pieces;
}

std::string ChatFormat::text(std::span<const ChatMessage> messages, bool answers) const
{
    std::string text;
    for (const Piece& piece : pieces(messages, answers))
        text += piece.text;
    return text;
}

Result<std::vector<std::int32_t>> ChatFormat::encode(const Tokenizer& tokenizer, const Pieces& pieces)
{
    std::vector<std::int32_t> ids;
    std::string run; // text between special tokens is cut as one
    const auto flush = [&] {
        const auto more = tokenizer.encode(run);
        ids.insert(ids.end(), more.begin(), more.end());
        run.clear();
    };
    for (const Piece& piece : pieces) {
        if (!piece.special) {
            run += piece.text;
            continue;
        }
        const auto id = tokenizer.addedToken(piece.text);
        if (!id)
            return fail(fmt::format("the tokenizer has no token {}, which the chat format needs", piece.text),
                        "Choose the format that the model was trained with");
        flush();
        ids.push_back(*id);
    }
    flush();
    return ids;
}

Result<std::vector<std::int32_t>>
ChatFormat::tokens(const Tokenizer& tokenizer, std::span<const ChatMessage> messages, bool answers) const
{
    return encode(tokenizer, pieces(messages, answers));
}

Status ChatFormat::check(const Tokenizer& tokenizer) const
{
    const std::vector<ChatMessage> all{
        {ChatRole::System, ""}, {ChatRole::User, ""}, {ChatRole::Assistant, ""}};
    SPARSERL_TRY([[maybe_unused]] const auto ids, tokens(tokenizer, all, true));
    return {};
}

Result<std::vector<std::int32_t>> ChatFormat::nextTurn(const Tokenizer& tokenizer, const std::string& message,
                                                       bool ended) const
{
    Pieces pieces;
    addEnd(pieces, ChatRole::Assistant);
    if (ended && !pieces.empty())
        pieces.erase(pieces.begin());
    addTurn(pieces, ChatRole::User, message);
    addStart(pieces, ChatRole::Assistant);
    pieces.push_back({std::string(m_rules->opensAnswer), false});
    return encode(tokenizer, pieces);
}

namespace {

/// A template that JSON can hold.
Result<std::optional<std::string>> checkedTemplate(std::string source, const std::string& file)
{
    if (!isUtf8(source))
        return failAt(file, 0, "the chat template is not UTF-8 text", "Take the file as it was published");
    return source;
}

} // namespace

Result<std::optional<std::string>> chatTemplateOf(const GgufHeader& header)
{
    SPARSERL_TRY(const auto held, header.text("tokenizer.chat_template"));
    if (!held)
        return std::nullopt;
    return checkedTemplate(std::string(*held), {});
}

Result<std::optional<std::string>> chatTemplateOf(const std::filesystem::path& directory)
{
    constexpr std::size_t most = 1 << 20;
    if (const auto file = directory / "chat_template.jinja"; glance(file).exists) {
        SPARSERL_TRY(auto source, readFile(file, most));
        return checkedTemplate(std::move(source), file.string());
    }
    const auto file = directory / "tokenizer_config.json";
    if (!glance(file).exists)
        return std::nullopt;
    SPARSERL_TRY(const json settings, readJson(file));
    const json source = settings.is_object() ? settings.value("chat_template", json()) : json();
    if (!source.is_string())
        return std::nullopt; // lists of several templates are none of those that are known
    return source.get<std::string>();
}

} // namespace sparserl
