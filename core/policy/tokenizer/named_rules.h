// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The rules of a published tokenizer. They are needed for files that contain only the name of the rules
/// (GGUF's "tokenizer.ggml.pre").
struct NamedRules
{
    bool begins = false; ///< Whether the begin token is placed before a text if the file does not say so.
};
/// Adds the "normalizer", the "pre_tokenizer" and the settings of "model" for these rules to a
/// tokenizer.json. Returns nullopt if the name is unknown.
std::optional<NamedRules> addNamedRules(std::string_view name, nlohmann::json& tokenizer);
/// Returns llama.cpp's name for the rules of a tokenizer.json, or nullopt.
std::optional<std::string> nameOfRules(const nlohmann::json& tokenizer);
/// Returns the known names, for messages.
std::string knownRules();

} // namespace sparserl
