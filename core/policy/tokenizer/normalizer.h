// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/text_pattern.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Transforms a text before it is split ("normalizer" in a tokenizer.json). Supports Unicode normal forms,
/// prefixes, replacements, and sequences of these.
class Normalizer
{
public:
    /// Reads a normalizer; null means none. Fails for other steps and settings, and names them.
    static Result<Normalizer> fromJson(const nlohmann::json& json);

    bool isNothing() const { return m_steps.empty(); }
    /// Returns the transformed text. `text` must be UTF-8. Throws a Failure in the same cases as
    /// TextPattern::forEachMatch().
    std::string apply(std::string_view text, PatternWork& work) const;

private:
    struct Step
    {
        int form = 0;       ///< Options for utf8proc; 0: none.
        bool front = false; ///< Whether `content` is put before a text that is not empty.
        /// None, or one pattern, whose matches are replaced with `content`.
        std::vector<TextPattern> replaced;
        std::string content;
    };
    Status add(const nlohmann::json& json, int depth);

    std::vector<Step> m_steps;
};

} // namespace sparserl
