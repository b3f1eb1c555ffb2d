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

/// A text that is split into pieces, which are not empty. Piece i ends at ends[i].
struct CutText
{
    std::string text;
    std::vector<std::size_t> ends;
};

/// Splits a text before merges ("pre_tokenizer" in a tokenizer.json). Supports Split, Digits, ByteLevel,
/// Metaspace, and sequences of these.
class Splitter
{
public:
    /// Reads a pre-tokenizer; null means that texts are not split. Fails for other steps and settings, and
    /// names them.
    static Result<Splitter> fromJson(const nlohmann::json& json);

    /// Returns whether the last step is ByteLevel. The vocabulary then uses GPT-2's alphabet of bytes.
    bool byteLevel() const { return m_byteLevel; }
    /// Splits a text. `atStart` says whether it is the beginning of the original text. Throws a Failure in
    /// the same cases as TextPattern::forEachMatch().
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
        First, ///< Only before the first piece of the text.
        Always
    };
    struct Step
    {
        Kind kind = Kind::Split;
        std::vector<TextPattern> pattern; ///< One pattern for `Split` and `Metaspace`, otherwise none.
        Behaviour behaviour = Behaviour::Isolated;
        bool inverted = false; ///< `Split`: the texts between matches are treated as the matches.
        /// Whether `ByteLevel` splits by GPT-2's rule, or `Metaspace` before each replacement.
        bool splits = true;
        Prefix prefix = Prefix::Never; ///< When a leading space is added.
        std::string replacement;       ///< `Metaspace`: the text that replaces a space.
    };
    using Found = std::vector<std::pair<std::size_t, bool>>; ///< The end of each piece, and whether the piece
                                                             ///< is a match.

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
