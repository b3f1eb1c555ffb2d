// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/tokenizer/text_pattern.h"

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sparserl {

// What the steps of a tokenizer.json (normalizers, pre-tokenizers, decoders) have in common. A file of others
// may ask for any number of them, in any depth, each making a text longer.
inline constexpr int deepestSteps = 4;
inline constexpr std::size_t mostSteps = 16;
inline constexpr std::size_t longestStepText = 16;
inline constexpr const char* publishedTokenizer =
    "Use a byte-level BPE tokenizer, such as those of GPT-2, Llama 3, Qwen or DeepSeek, or one with byte "
    "fallback, such as that of Llama 2";

/// The "type" of a step.
Result<std::string> stepType(const nlohmann::json& step, const char* kind);
/// Refuses members other than "type" and these: they would change what the step does.
Status checkStepKeys(const nlohmann::json& step, std::initializer_list<std::string_view> known);

enum class PatternKinds
{
    Text,  ///< {"String": ..}
    Either ///< that, or {"Regex": ..}
};
Result<TextPattern> stepPattern(const nlohmann::json& pattern, PatternKinds kinds);

/// Throws a Failure where steps have made a text far longer than it was.
void checkGrowth(std::size_t before, std::size_t now);

/// `text` with each match of a pattern replaced.
std::string replaceAll(std::string_view text, const TextPattern& pattern, std::string_view by,
                       PatternWork& work);

} // namespace sparserl
