// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// Returns the token that the "post_processor" in a tokenizer.json places before a text (TemplateProcessing),
/// or an empty string.
std::string firstTokenOf(const nlohmann::json& postProcessor);
/// Returns a "post_processor" that places a token with this id before a text, or null if the token is empty.
nlohmann::json processorWithFirst(const std::string& token, int id);

} // namespace sparserl
