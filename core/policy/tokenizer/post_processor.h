// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// The token that a "post_processor" of a tokenizer.json puts in front of a text (TemplateProcessing); empty
/// where it puts none.
std::string firstTokenOf(const nlohmann::json& postProcessor);
/// One that puts the token with this id in front; null for an empty one.
nlohmann::json processorWithFirst(const std::string& token, int id);

} // namespace sparserl
