// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The tokenizer.json settings of published models, for files that contain only their name (GGUF's
/// "tokenizer.ggml.pre").
struct NamedRules
{
    bool begins = false; ///< Whether the begin token precedes a text if the file does not specify this.
};
/// Adds "normalizer", "pre_tokenizer" and settings of "model" to a tokenizer.json. nullopt if the name is
/// unknown.
std::optional<NamedRules> addNamedRules(std::string_view name, nlohmann::json& tokenizer);
/// llama.cpp's name for the rules of a tokenizer.json, or nullopt.
std::optional<std::string> nameOfRules(const nlohmann::json& tokenizer);
/// The known names, for messages.
std::string knownRules();

} // namespace sparserl
