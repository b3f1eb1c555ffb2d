// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct GgufHeader;

enum class ChatRole
{
    System,
    User,
    Assistant
};
struct ChatMessage
{
    ChatRole role = ChatRole::User;
    std::string content; ///< UTF-8
};
/// Reads [{"role": "user", "content": ".."}, ..]. Other members are refused.
Result<std::vector<ChatMessage>> chatMessagesFromJson(const nlohmann::json& json);

/// How messages become the text that a model was trained on. The formats are built in; templates of files are
/// programs (Jinja2), which are not run. A value.
class ChatFormat
{
public:
    static Result<ChatFormat> named(std::string_view name);
    /// The format of a published template, by the SHA-256 of its text without white space at the ends.
    static Result<ChatFormat> recognised(std::string_view jinjaTemplate);
    /// The same by that hash, in hexadecimal digits.
    static Result<ChatFormat> ofTemplateHash(std::string_view sha256);
    /// Those that there are, for sentences.
    static std::string names();
    static std::vector<std::string> list();

    const std::string& name() const { return m_name; }

    /// The text of a conversation, names of special tokens included. `answers`: the model is to write next.
    std::string text(std::span<const ChatMessage> messages, bool answers) const;
    /// Its tokens. Names of special tokens within a message are text. Fails where the tokenizer lacks a
    /// special token of the format.
    Result<std::vector<std::int32_t>> tokens(const Tokenizer& tokenizer,
                                             std::span<const ChatMessage> messages, bool answers) const;
    /// Whether a tokenizer has the format's special tokens.
    Status check(const Tokenizer& tokenizer) const;
    /// What is appended to the tokens of a conversation after the model's answer, for the next message of the
    /// user: what came before is never tokenised again. `ended`: the answer's last token is the one that ends
    /// it.
    Result<std::vector<std::int32_t>> nextTurn(const Tokenizer& tokenizer, const std::string& message,
                                               bool ended) const;

    struct Rules; ///< chat_format.cpp

private:
    /// Text, or the name of a special token.
    struct Piece
    {
        std::string text;
        bool special = false;
    };
    using Pieces = std::vector<Piece>;

    explicit ChatFormat(const Rules& rules);
    Pieces pieces(std::span<const ChatMessage> messages, bool answers) const;
    void addTurn(Pieces& into, ChatRole role, const std::string& content) const;
    void addEnd(Pieces& into, ChatRole role) const;
    void addStart(Pieces& into, ChatRole role) const;
    static Result<std::vector<std::int32_t>> encode(const Tokenizer& tokenizer, const Pieces& pieces);

    std::string m_name;
    const Rules* m_rules;
};

/// The chat template of a GGUF file ("tokenizer.chat_template"); nothing where there is none.
Result<std::optional<std::string>> chatTemplateOf(const GgufHeader& header);
/// The same of a directory (chat_template.jinja, "chat_template" of tokenizer_config.json).
Result<std::optional<std::string>> chatTemplateOf(const std::filesystem::path& directory);

} // namespace sparserl
