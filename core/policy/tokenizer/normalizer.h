// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/text_pattern.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a tokenizer.json does to a text before it cuts it ("normalizer"): Unicode's normal forms, a text put
/// in front, a text replaced, sequences of these.
class Normalizer
{
public:
    /// Refuses other steps and settings by name. null: nothing is done.
    static Result<Normalizer> fromJson(const nlohmann::json& json);

    bool isNothing() const { return m_steps.empty(); }
    /// `text` is UTF-8. Throws a Failure as TextPattern does.
    std::string apply(std::string_view text, PatternWork& work) const;

private:
    struct Step
    {
        int form = 0;                      ///< Options of utf8proc; 0: none.
        bool front = false;                ///< `content` is put in front of a text that is not empty.
        std::vector<TextPattern> replaced; ///< One, which becomes `content`.
        std::string content;
    };
    Status add(const nlohmann::json& json, int depth);

    std::vector<Step> m_steps;
};

} // namespace sparserl
