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

/// A text split into non-empty pieces: piece i ends at ends[i].
struct CutText
{
    std::string text;
    std::vector<std::size_t> ends;
};

/// The splitting of a text before merges ("pre_tokenizer" in a tokenizer.json): Split, Digits, ByteLevel,
/// Metaspace, and sequences of these.
class Splitter
{
public:
    /// Refuses other steps and settings by name. null: no splitting.
    static Result<Splitter> fromJson(const nlohmann::json& json);

    /// Whether the last step is ByteLevel, which means that the vocabulary uses GPT-2's alphabet of bytes.
    bool byteLevel() const { return m_byteLevel; }
    /// `atStart`: whether the original text begins here. Throws a Failure like TextPattern.
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
        First, ///< The first piece of the text.
        Always
    };
    struct Step
    {
        Kind kind = Kind::Split;
        std::vector<TextPattern> pattern; ///< One pattern, for `Split` and `Metaspace`.
        Behaviour behaviour = Behaviour::Isolated;
        bool inverted = false;         ///< `Split`: the pieces are the texts between matches.
        bool splits = true;            ///< `ByteLevel` splits by GPT-2's rule, `Metaspace` before each
                                       ///< replacement.
        Prefix prefix = Prefix::Never; ///< When to add a leading space.
        std::string replacement;       ///< `Metaspace`: replaces a space.
    };
    using Found = std::vector<std::pair<std::size_t, bool>>; ///< End of each piece, and whether it is a
                                                             ///< match.

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
