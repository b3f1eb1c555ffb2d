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

/// How text is cut before merges apply; merges never cross a cut. Both are written to tokenizer.json in a
/// form that Hugging Face's `tokenizers` loads.
enum class PreTokenizer
{
    /// GPT-2's rule: words with their leading space, numbers, punctuation runs, white space.
    Gpt2,
    /// Ours, for templated code: a line with the newlines before it is one piece, digit runs stand alone.
    /// Merges may span words ("const int* __restrict__ "), so a small vocabulary writes a kernel in few
    /// tokens, while numbers (block sizes, masks) stay decisions of their own.
    Code,
    /// The steps of the file that a tokenizer was read from (splitter.h).
    File
};

/// What the name of a special token is where it stands in a text.
enum class SpecialNames
{
    Text,  ///< Text as any other: a text of others cannot end a turn or begin one.
    Tokens ///< That token.
};

struct TokenizerOptions
{
    int vocabSize = 1000; ///< Special tokens and the 256 bytes included; at least 260.
    PreTokenizer preTokenizer = PreTokenizer::Code;
    int minFrequency = 2;   ///< A pair seen less often is not merged.
    int maxTokenBytes = 32; ///< No learned token is longer.
};

/// Byte-pair encoding of bytes, or of characters with bytes for those that have no token. A tokenizer that we
/// train encodes and decodes any bytes exactly; one of a file may change texts (Unicode's normal forms,
/// spaces in front, bytes without a token left out) and encodes and decodes as Hugging Face's `tokenizers`
/// does. A byte that is no UTF-8 is
/// its own token there, or U+FFFD where the vocabulary has none for it. A value; copies share the tables.
/// Nothing but `setEnd` and `setBegin` changes it, so it may be used from several threads.
class Tokenizer
{
public:
    /// Ids of the special tokens; they stand first in every tokenizer that we train.
    static constexpr std::int32_t padId = 0; ///< "<pad>", also the decoder's start token as in T5
    static constexpr std::int32_t bosId = 1; ///< "<s>"
    static constexpr std::int32_t eosId = 2; ///< "</s>"
    static constexpr std::int32_t unkId = 3; ///< "<unk>", never produced
    static constexpr int specialCount = 4;

    /// Bytes only: no merges, vocabSize() == 260.
    Tokenizer();

    /// Learns merges from texts. Deterministic: ties go to the pair with the lower ids. Fails on a vocabulary
    /// below 260; ends early with a smaller vocabulary where no pair is frequent enough.
    static Result<Tokenizer> train(std::span<const std::string> texts, const TokenizerOptions& options = {},
                                   const CancelToken& cancel = {}, const Progress& progress = {});

    static Result<Tokenizer> load(const std::filesystem::path& file);
    /// Checks everything: a BPE model of bytes or with byte fallback, known steps, ids without gap or repeat,
    /// merges of known tokens. `name` is used in messages.
    static Result<Tokenizer> fromJson(const nlohmann::json& json, const std::string& name = "tokenizer.json");
    Status save(const std::filesystem::path& file) const;
    nlohmann::json toJson() const;

    int vocabSize() const;
    PreTokenizer preTokenizer() const;
    /// The bytes of a token; empty for special tokens and ids out of range.
    std::string_view bytes(std::int32_t id) const;
    /// Tokens of a text; none is put before or after them. Throws a Failure where the pattern of a file takes
    /// too long for a text (text_pattern.h).
    std::vector<std::int32_t> encode(std::string_view text, SpecialNames names = SpecialNames::Text) const;
    /// The text of tokens; special tokens and ids out of range add nothing.
    std::string decode(std::span<const std::int32_t> ids) const;

    /// The token that ends a program, which adds nothing to a text; -1 where a file has no "</s>" and nothing
    /// else was said.
    std::int32_t end() const { return m_end; }
    void setEnd(std::int32_t id) { m_end = id; }
    /// The token that the model has read before every text; -1 where its files say none. encode() does not
    /// put it there.
    std::int32_t begin() const { return m_begin; }
    void setBegin(std::int32_t id) { m_begin = id; }
    /// The added token of that name, special or not.
    std::optional<std::int32_t> addedToken(std::string_view name) const;
    /// Whether each byte of a text in UTF-8 has a token. Bytes that have none are left out of a text; those
    /// of printable ASCII, spaces and line ends always have one.
    bool hasAllBytes() const;
    /// Whether it begins with the special tokens above, as T5 needs them.
    bool beginsAsOurs() const;

    struct Tables; ///< tokenizer_tables.h, for the implementation only.

private:
    explicit Tokenizer(std::shared_ptr<const Tables> tables);
    /// Completes and checks tables that have tokens, merges and rules.
    static Result<Tokenizer> build(std::shared_ptr<Tables> tables, const std::string& name);
    /// With our special tokens, which `special` marks.
    static Result<Tokenizer> buildOwn(std::vector<std::string> tokens, std::vector<bool> special,
                                      std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                      PreTokenizer preTokenizer);

    std::shared_ptr<const Tables> m_tables;
    std::int32_t m_end = eosId;
    std::int32_t m_begin = -1;
};

/// The pieces that merges may not leave, in order; they concatenate to the text. By one of our own rules.
std::vector<std::string_view> preTokenize(std::string_view text, PreTokenizer rule);

} // namespace sparserl
