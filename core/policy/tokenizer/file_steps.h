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

// Common code for the steps in a tokenizer.json (normalizers, pre-tokenizers, decoders). The file is not
// trusted: it may contain any number of steps, nested to any depth, and each step may make the text longer.
inline constexpr int deepestSteps = 4;
inline constexpr std::size_t mostSteps = 16;
inline constexpr std::size_t longestStepText = 16;
inline constexpr const char* publishedTokenizer =
    "Use a byte-level BPE tokenizer, such as those of GPT-2, Llama 3, Qwen or DeepSeek, or one with byte "
    "fallback, such as that of Llama 2";

/// Returns the "type" of a step. `kind` names the kind of step in the Error.
Result<std::string> stepType(const nlohmann::json& step, const char* kind);
/// Fails if a step has members other than "type" and `known`, because they would change what the step does.
Status checkStepKeys(const nlohmann::json& step, std::initializer_list<std::string_view> known);

enum class PatternKinds
{
    Text,  ///< Accepts {"String": ..}.
    Either ///< Accepts {"String": ..} and {"Regex": ..}.
};
Result<TextPattern> stepPattern(const nlohmann::json& pattern, PatternKinds kinds);

/// Throws a Failure if steps have made a text far too long.
void checkGrowth(std::size_t before, std::size_t now);

/// Returns `text` with each match of a pattern replaced with `by`.
std::string replaceAll(std::string_view text, const TextPattern& pattern, std::string_view by,
                       PatternWork& work);

} // namespace sparserl
