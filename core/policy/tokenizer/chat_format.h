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
/// Reads [{"role": "user", "content": ".."}, ..]. Refuses other members.
Result<std::vector<ChatMessage>> chatMessagesFromJson(const nlohmann::json& json);

/// Converts messages to the text format of a model's training. The formats are built in; templates in files
/// are programs (Jinja2) and are not executed. A value type.
class ChatFormat
{
public:
    static Result<ChatFormat> named(std::string_view name);
    /// The format of a published template, by the SHA-256 of its text without surrounding white space.
    static Result<ChatFormat> recognised(std::string_view jinjaTemplate);
    /// The same by the hash in hexadecimal digits.
    static Result<ChatFormat> ofTemplateHash(std::string_view sha256);
    /// The supported formats, for messages.
    static std::string names();
    static std::vector<std::string> list();

    const std::string& name() const { return m_name; }

    /// The text of a conversation, including names of special tokens. `answers`: the model writes next.
    std::string text(std::span<const ChatMessage> messages, bool answers) const;
    /// The tokens of a conversation. Names of special tokens within a message stay text. Fails if the
    /// tokenizer lacks a special token of the format.
    Result<std::vector<std::int32_t>> tokens(const Tokenizer& tokenizer,
                                             std::span<const ChatMessage> messages, bool answers) const;
    /// Checks that a tokenizer has the format's special tokens.
    Status check(const Tokenizer& tokenizer) const;
    /// The tokens to append after the model's answer for the next user message; earlier tokens are not
    /// tokenised again. `ended`: the answer's last token is its end token.
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

/// The chat template of a GGUF file ("tokenizer.chat_template"), or nullopt.
Result<std::optional<std::string>> chatTemplateOf(const GgufHeader& header);
/// The same for a directory (chat_template.jinja, or "chat_template" in tokenizer_config.json).
Result<std::optional<std::string>> chatTemplateOf(const std::filesystem::path& directory);

} // namespace sparserl
