// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What the tokenizer.json of published models says, for files that only name it (GGUF's
/// "tokenizer.ggml.pre").
struct NamedRules
{
    bool begins =
        false; ///< Whether a text has the token in front that begins texts, where nothing else is said.
};
/// Adds "normalizer", "pre_tokenizer" and settings of "model" to a tokenizer.json; nothing where the name is
/// not known.
std::optional<NamedRules> addNamedRules(std::string_view name, nlohmann::json& tokenizer);
/// The name of the rules of a tokenizer.json, as llama.cpp has it; nothing where it has none.
std::optional<std::string> nameOfRules(const nlohmann::json& tokenizer);
/// The names that are known, for sentences.
std::string knownRules();

} // namespace sparserl
