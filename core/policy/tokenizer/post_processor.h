// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// The token that a tokenizer.json's "post_processor" places before a text (TemplateProcessing), or empty.
std::string firstTokenOf(const nlohmann::json& postProcessor);
/// A post-processor that places the token with this id before a text; null for an empty token.
nlohmann::json processorWithFirst(const std::string& token, int id);

} // namespace sparserl
