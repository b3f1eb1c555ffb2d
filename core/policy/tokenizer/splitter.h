// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/text_pattern.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

/// A text cut into pieces: the piece i ends at ends[i]; none is empty.
struct CutText
{
    std::string text;
    std::vector<std::size_t> ends;
};

/// How a tokenizer.json cuts a text before merges apply ("pre_tokenizer"): Split, Digits, ByteLevel,
/// Metaspace, sequences of these.
class Splitter
{
public:
    /// Refuses other steps and settings by name. null: the text stays whole.
    static Result<Splitter> fromJson(const nlohmann::json& json);

    /// Whether a ByteLevel is the last step: the vocabulary is in GPT-2's alphabet of bytes.
    bool byteLevel() const { return m_byteLevel; }
    /// `atStart`: whether the original text begins here. Throws a Failure as TextPattern does.
    CutText cut(std::string text, bool atStart, PatternWork& work) const;

private:
    enum class Behaviour
    {
        Removed,
        Isolated,
        MergedWithPrevious,
        MergedWithNext,
        Contiguous
    };
    enum class Kind
    {
        Split,
        Digits,
        ByteLevel,
        Metaspace
    };
    enum class Prefix
    {
        Never,
        First, ///< The piece that the text begins with.
        Always
    };
    struct Step
    {
        Kind kind = Kind::Split;
        std::vector<TextPattern> pattern; ///< One, of `Split` and `Metaspace`.
        Behaviour behaviour = Behaviour::Isolated;
        bool inverted = false;         ///< `Split`: matches are what is between matches.
        bool splits = true;            ///< `ByteLevel` by GPT-2's rule, `Metaspace` before each replacement.
        Prefix prefix = Prefix::Never; ///< Whether a space comes in front.
        std::string replacement;       ///< `Metaspace`: of a space.
    };
    using Found = std::vector<std::pair<std::size_t, bool>>; ///< Ends, and whether it is a match.

    Status add(const nlohmann::json& json, int depth);
    static Result<Step> split(const nlohmann::json& json);
    static Result<Step> metaspace(const nlohmann::json& json);
    static Found find(const Step& step, std::string_view text, PatternWork& work);
    static void apply(const Step& step, std::string_view piece, bool atStart, CutText& into,
                      PatternWork& work);

    std::vector<Step> m_steps;
    bool m_byteLevel = false;
};

} // namespace sparserl
