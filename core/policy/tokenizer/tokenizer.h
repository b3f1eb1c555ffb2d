// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The rule by which a text is split into pieces before merges. Merges never join bytes of different pieces.
/// tokenizer.json contains our own rules in a form that Hugging Face's `tokenizers` can load.
enum class PreTokenizer
{
    /// GPT-2's rule. Pieces are words with their leading space, numbers, runs of punctuation, and white
    /// space.
    Gpt2,
    /// Our rule for code that is derived from templates. A line with the newlines before it is one piece,
    /// except that each run of digits is a piece of its own. Merges may join words ("const int* __restrict__
    /// "), so that a small vocabulary needs few tokens for a kernel, while each number, such as a block size
    /// or a mask, remains a decision of its own.
    Code,
    /// The steps in the tokenizer's file (splitter.h).
    File
};

/// What the name of a special token in a text becomes.
enum class SpecialNames
{
    Text,  ///< Plain text, so that untrusted text can neither begin nor end a turn.
    Tokens ///< The special token.
};

struct TokenizerOptions
{
    int vocabSize = 1000; ///< Number of tokens, including special tokens and the 256 bytes; at least 260.
    PreTokenizer preTokenizer = PreTokenizer::Code;
    int minFrequency = 2;   ///< Pairs that occur less often are not merged.
    int maxTokenBytes = 32; ///< Maximum length of a learned token in bytes.
};

/// A tokenizer with byte-pair encoding of bytes, or of characters with a fallback to bytes. A tokenizer that
/// we train encodes and decodes any bytes exactly. A tokenizer from a file behaves like Hugging Face's
/// `tokenizers` and may change texts: it may apply Unicode normal forms, add or remove leading spaces, and
/// drop bytes that have no token. A byte that is not part of valid UTF-8 becomes the token of this byte or,
/// if the vocabulary has none, is replaced with U+FFFD. A value type; copies share the tables. Thread-safe,
/// except for setEnd() and setBegin().
class Tokenizer
{
public:
    /// Ids of the special tokens, which are the first tokens in every tokenizer that we train.
    static constexpr std::int32_t padId = 0; ///< "<pad>", as in T5 also the start token of the decoder.
    static constexpr std::int32_t bosId = 1; ///< "<s>"
    static constexpr std::int32_t eosId = 2; ///< "</s>"
    static constexpr std::int32_t unkId = 3; ///< "<unk>", which encode() never returns.
    static constexpr int specialCount = 4;

    /// Creates a tokenizer without merges. Its vocabulary consists of the special tokens and the 256 bytes.
    Tokenizer();

    /// Creates a tokenizer that learns its merges from texts. The result is deterministic: of equally
    /// frequent pairs, the one with the lower ids is merged. Fails for a vocabulary of less than 260 tokens.
    /// The vocabulary becomes smaller than requested if no further pair is frequent enough.
    static Result<Tokenizer> train(std::span<const std::string> texts, const TokenizerOptions& options = {},
                                   const CancelToken& cancel = {}, const Progress& progress = {});

    static Result<Tokenizer> load(const std::filesystem::path& file);
    /// Creates a tokenizer from the contents of a tokenizer.json. Fails unless the model is a BPE of bytes,
    /// or of characters with byte fallback, all steps are supported, ids are unique and consecutive, and
    /// merges join known tokens. `name` is the name of the file in messages.
    static Result<Tokenizer> fromJson(const nlohmann::json& json, const std::string& name = "tokenizer.json");
    Status save(const std::filesystem::path& file) const;
    nlohmann::json toJson() const;

    int vocabSize() const;
    PreTokenizer preTokenizer() const;
    /// Returns the bytes of a token, or none for special tokens and ids out of range.
    std::string_view bytes(std::int32_t id) const;
    /// Returns the tokens of a text. Does not add begin and end tokens. Throws a Failure if a pattern from a
    /// file takes too long (text_pattern.h).
    std::vector<std::int32_t> encode(std::string_view text, SpecialNames names = SpecialNames::Text) const;
    /// Returns the text of tokens. Special tokens and ids out of range add nothing to it.
    std::string decode(std::span<const std::int32_t> ids) const;

    /// Returns the token that ends a program, which adds nothing to a text. Returns -1 if the tokenizer's
    /// file has no "</s>" and names no other token.
    std::int32_t end() const { return m_end; }
    void setEnd(std::int32_t id) { m_end = id; }
    /// Returns the token that was placed before every text in the model's training, or -1 if the model's
    /// files name none. encode() does not add it.
    std::int32_t begin() const { return m_begin; }
    void setBegin(std::int32_t id) { m_begin = id; }
    /// Returns the added token with this name, special or not.
    std::optional<std::int32_t> addedToken(std::string_view name) const;
    /// Returns whether all bytes that occur in UTF-8 have a token. Bytes without a token are dropped from a
    /// text. Printable ASCII, spaces and line ends always have tokens.
    bool hasAllBytes() const;
    /// Returns whether the first tokens are the special tokens above, as T5 requires.
    bool beginsAsOurs() const;

    struct Tables; ///< Defined in tokenizer_tables.h; only for the implementation.

private:
    explicit Tokenizer(std::shared_ptr<const Tables> tables);
    /// Checks and completes tables that have tokens, merges and rules.
    static Result<Tokenizer> build(std::shared_ptr<Tables> tables, const std::string& name);
    /// Builds a tokenizer with our special tokens, which `special` marks.
    static Result<Tokenizer> buildOwn(std::vector<std::string> tokens, std::vector<bool> special,
                                      std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                      PreTokenizer preTokenizer);

    std::shared_ptr<const Tables> m_tables;
    std::int32_t m_end = eosId;
    std::int32_t m_begin = -1;
};

/// Splits a text by one of our own rules. Merges cannot join bytes of different pieces. The concatenation of
/// the pieces is the text.
std::vector<std::string_view> preTokenize(std::string_view text, PreTokenizer rule);

} // namespace sparserl
