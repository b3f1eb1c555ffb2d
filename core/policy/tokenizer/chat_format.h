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
/// Reads messages in the form [{"role": "user", "content": ".."}, ..]. Fails for other members.
Result<std::vector<ChatMessage>> chatMessagesFromJson(const nlohmann::json& json);

/// Converts messages to the form that a model has seen in its training. The formats are built in. Templates
/// in files are programs (Jinja2) and are never executed. A value type.
class ChatFormat
{
public:
    static Result<ChatFormat> named(std::string_view name);
    /// Returns the format of a published template. Recognises it by the SHA-256 of its text without
    /// surrounding white space.
    static Result<ChatFormat> recognised(std::string_view jinjaTemplate);
    /// Returns the format of the template with this hash, in hexadecimal digits.
    static Result<ChatFormat> ofTemplateHash(std::string_view sha256);
    /// Return the names of the supported formats, for messages and as a list.
    static std::string names();
    static std::vector<std::string> list();

    const std::string& name() const { return m_name; }

    /// Returns the text of a conversation, with the names of special tokens. With `answers`, the text ends
    /// with the beginning of an answer of the model.
    std::string text(std::span<const ChatMessage> messages, bool answers) const;
    /// Returns the tokens of a conversation. Names of special tokens within a message remain plain text.
    /// Fails if the tokenizer does not have a special token of the format.
    Result<std::vector<std::int32_t>> tokens(const Tokenizer& tokenizer,
                                             std::span<const ChatMessage> messages, bool answers) const;
    /// Fails if a tokenizer does not have all special tokens of the format.
    Status check(const Tokenizer& tokenizer) const;
    /// Returns the tokens to append after an answer of the model for the next message of the user. The
    /// earlier part of the conversation keeps its tokens. `ended` says whether the last token of the answer
    /// is the end token.
    Result<std::vector<std::int32_t>> nextTurn(const Tokenizer& tokenizer, const std::string& message,
                                               bool ended) const;

    struct Rules; ///< chat_format.cpp

private:
    /// A text, or the name of a special token.
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

/// Returns the chat template of a GGUF file ("tokenizer.chat_template"), or nullopt.
Result<std::optional<std::string>> chatTemplateOf(const GgufHeader& header);
/// Returns the chat template of a directory (chat_template.jinja, or "chat_template" in
/// tokenizer_config.json), or nullopt.
Result<std::optional<std::string>> chatTemplateOf(const std::filesystem::path& directory);

} // namespace sparserl
