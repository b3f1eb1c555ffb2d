// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
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
    Code
};

struct TokenizerOptions
{
    int vocabSize = 1000; ///< Special tokens and the 256 bytes included; at least 260.
    PreTokenizer preTokenizer = PreTokenizer::Code;
    int minFrequency = 2;   ///< A pair seen less often is not merged.
    int maxTokenBytes = 32; ///< No learned token is longer.
};

/// Byte-level byte-pair encoding: any bytes encode and decode exactly. A value; copies share the tables.
/// Immutable after construction, so it may be used from several threads.
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
    /// Checks everything: a byte-level BPE model, the special tokens above, ids without gap or repeat, merges
    /// of known tokens. `name` is used in messages.
    static Result<Tokenizer> fromJson(const nlohmann::json& json, const std::string& name = "tokenizer.json");
    Status save(const std::filesystem::path& file) const;
    nlohmann::json toJson() const;

    int vocabSize() const;
    PreTokenizer preTokenizer() const;
    /// The bytes of a token; empty for special tokens and ids out of range.
    std::string_view bytes(std::int32_t id) const;
    /// Tokens of a text, without special tokens.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// The text of tokens; special tokens and ids out of range add nothing.
    std::string decode(std::span<const std::int32_t> ids) const;

    struct Tables; ///< tokenizer_tables.h, for the implementation only.

private:
    explicit Tokenizer(std::shared_ptr<const Tables> tables);
    /// `tokens` holds bytes by id, and the name where `special` is set; merges are pairs of ids by rank.
    static Result<Tokenizer> build(std::vector<std::string> tokens, std::vector<bool> special,
                                   std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                   PreTokenizer preTokenizer, const std::string& name);

    std::shared_ptr<const Tables> m_tables;
};

/// The pieces that merges may not leave, in order; they concatenate to the text.
std::vector<std::string_view> preTokenize(std::string_view text, PreTokenizer rule);

} // namespace sparserl
