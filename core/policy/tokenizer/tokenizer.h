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

/// The rule that splits text before merges, which never cross a split. Our own rules are stored in
/// tokenizer.json in a form that Hugging Face's `tokenizers` loads.
enum class PreTokenizer
{
    /// GPT-2's rule: words with their leading space, numbers, punctuation runs, white space.
    Gpt2,
    /// Our rule for templated code: a line and its preceding newlines are one piece, and digit runs stand
    /// alone. Merges may span words ("const int* __restrict__ "), so a small vocabulary writes a kernel in
    /// few tokens, while numbers (block sizes, masks) remain separate decisions.
    Code,
    /// The steps of the tokenizer's file (splitter.h).
    File
};

/// The treatment of special-token names in a text.
enum class SpecialNames
{
    Text,  ///< Plain text: untrusted text can neither begin nor end a turn.
    Tokens ///< The special token.
};

struct TokenizerOptions
{
    int vocabSize = 1000; ///< Including special tokens and the 256 bytes; at least 260.
    PreTokenizer preTokenizer = PreTokenizer::Code;
    int minFrequency = 2;   ///< Rarer pairs are not merged.
    int maxTokenBytes = 32; ///< Maximum length of a learned token.
};

/// Byte-pair encoding of bytes, or of characters with a fallback to bytes. A tokenizer that we train encodes
/// and decodes any bytes exactly. One from a file may change texts (Unicode normal forms, leading spaces,
/// dropped bytes without a token) and behaves like Hugging Face's `tokenizers`. There, a byte that is not
/// UTF-8 is its own token, or U+FFFD if the vocabulary has none. A value type; copies share the tables. Only
/// `setEnd` and `setBegin` modify it, so it is otherwise thread-safe.
class Tokenizer
{
public:
    /// Ids of the special tokens, which come first in every tokenizer that we train.
    static constexpr std::int32_t padId = 0; ///< "<pad>", also the decoder's start token as in T5
    static constexpr std::int32_t bosId = 1; ///< "<s>"
    static constexpr std::int32_t eosId = 2; ///< "</s>"
    static constexpr std::int32_t unkId = 3; ///< "<unk>", never produced
    static constexpr int specialCount = 4;

    /// Bytes only: no merges, vocabSize() == 260.
    Tokenizer();

    /// Learns merges from texts. Deterministic: ties go to the pair with the lower ids. Fails for a
    /// vocabulary below 260. Stops with a smaller vocabulary if no pair is frequent enough.
    static Result<Tokenizer> train(std::span<const std::string> texts, const TokenizerOptions& options = {},
                                   const CancelToken& cancel = {}, const Progress& progress = {});

    static Result<Tokenizer> load(const std::filesystem::path& file);
    /// Validates everything: a BPE model of bytes or with byte fallback, known steps, unique consecutive ids,
    /// merges of known tokens. `name` is used in messages.
    static Result<Tokenizer> fromJson(const nlohmann::json& json, const std::string& name = "tokenizer.json");
    Status save(const std::filesystem::path& file) const;
    nlohmann::json toJson() const;

    int vocabSize() const;
    PreTokenizer preTokenizer() const;
    /// The bytes of a token; empty for special tokens and ids out of range.
    std::string_view bytes(std::int32_t id) const;
    /// The tokens of a text, without begin and end tokens. Throws a Failure if a pattern from a file takes
    /// too long (text_pattern.h).
    std::vector<std::int32_t> encode(std::string_view text, SpecialNames names = SpecialNames::Text) const;
    /// The text of tokens; special tokens and ids out of range add nothing.
    std::string decode(std::span<const std::int32_t> ids) const;

    /// The token that ends a program; it adds nothing to a text. -1 if a file has no "</s>" and does not
    /// specify another.
    std::int32_t end() const { return m_end; }
    void setEnd(std::int32_t id) { m_end = id; }
    /// The token before every text in the model's training, or -1 if its files specify none. encode() does
    /// not add it.
    std::int32_t begin() const { return m_begin; }
    void setBegin(std::int32_t id) { m_begin = id; }
    /// The added token of this name, special or not.
    std::optional<std::int32_t> addedToken(std::string_view name) const;
    /// Whether each byte of a UTF-8 text has a token. Bytes without one are dropped from a text; printable
    /// ASCII, spaces and line ends always have one.
    bool hasAllBytes() const;
    /// Whether it begins with the special tokens above, as T5 requires.
    bool beginsAsOurs() const;

    struct Tables; ///< tokenizer_tables.h, for the implementation only.

private:
    explicit Tokenizer(std::shared_ptr<const Tables> tables);
    /// Completes and checks tables with tokens, merges and rules.
    static Result<Tokenizer> build(std::shared_ptr<Tables> tables, const std::string& name);
    /// Builds a tokenizer with our special tokens, marked in `special`.
    static Result<Tokenizer> buildOwn(std::vector<std::string> tokens, std::vector<bool> special,
                                      std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                      PreTokenizer preTokenizer);

    std::shared_ptr<const Tables> m_tables;
    std::int32_t m_end = eosId;
    std::int32_t m_begin = -1;
};

/// Splits a text by one of our own rules into the pieces that merges cannot cross. They concatenate to the
/// text.
std::vector<std::string_view> preTokenize(std::string_view text, PreTokenizer rule);

} // namespace sparserl
