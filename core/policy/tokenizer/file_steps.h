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

// Common code for the steps of a tokenizer.json (normalizers, pre-tokenizers, decoders). An untrusted file
// may contain any number of steps, nested to any depth, each expanding the text.
inline constexpr int deepestSteps = 4;
inline constexpr std::size_t mostSteps = 16;
inline constexpr std::size_t longestStepText = 16;
inline constexpr const char* publishedTokenizer =
    "Use a byte-level BPE tokenizer, such as those of GPT-2, Llama 3, Qwen or DeepSeek, or one with byte "
    "fallback, such as that of Llama 2";

/// The "type" of a step.
Result<std::string> stepType(const nlohmann::json& step, const char* kind);
/// Refuses members other than "type" and `keys`, because they would change the step's behaviour.
Status checkStepKeys(const nlohmann::json& step, std::initializer_list<std::string_view> known);

enum class PatternKinds
{
    Text,  ///< {"String": ..}
    Either ///< the same, or {"Regex": ..}
};
Result<TextPattern> stepPattern(const nlohmann::json& pattern, PatternKinds kinds);

/// Throws a Failure if the steps have expanded a text excessively.
void checkGrowth(std::size_t before, std::size_t now);

/// Replaces each match of a pattern in `text`.
std::string replaceAll(std::string_view text, const TextPattern& pattern, std::string_view by,
                       PatternWork& work);

} // namespace sparserl
