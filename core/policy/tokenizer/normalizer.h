// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/text_pattern.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The transformation of a text before splitting ("normalizer" in a tokenizer.json): Unicode normal forms,
/// prefixes, replacements, and sequences of these.
class Normalizer
{
public:
    /// Refuses other steps and settings by name. null: no transformation.
    static Result<Normalizer> fromJson(const nlohmann::json& json);

    bool isNothing() const { return m_steps.empty(); }
    /// `text` is UTF-8. Throws a Failure like TextPattern.
    std::string apply(std::string_view text, PatternWork& work) const;

private:
    struct Step
    {
        int form = 0;                      ///< Options of utf8proc; 0: none.
        bool front = false;                ///< `content` is a prefix for non-empty texts.
        std::vector<TextPattern> replaced; ///< A single pattern, replaced by `content`.
        std::string content;
    };
    Status add(const nlohmann::json& json, int depth);

    std::vector<Step> m_steps;
};

} // namespace sparserl
