// SPDX-License-Identifier: Apache-2.0
// What a tokenizer.json puts around a text ("post_processor").
#include "policy/tokenizer/post_processor.h"

#include <string_view>

namespace sparserl {

using nlohmann::json;

std::string firstTokenOf(const json& postProcessor)
{
    if (!postProcessor.is_object())
        return {};
    const json type = postProcessor.value("type", json());
    if (type == "Sequence") {
        // The last one comes to stand outermost; no published file has two.
        for (const json& part : postProcessor.value("processors", json::array())) {
            if (part.is_object() && part.value("type", json()) == "TemplateProcessing")
                return firstTokenOf(part);
        }
        return {};
    }
    const json single = postProcessor.value("single", json());
    if (type != "TemplateProcessing" || !single.is_array() || single.size() < 2 || !single[0].is_object() ||
        !single[1].is_object() || !single[1].contains("Sequence"))
        return {};
    const json token = single[0].value("SpecialToken", json());
    const json id = token.is_object() ? token.value("id", json()) : json();
    return id.is_string() ? id.get<std::string>() : std::string();
}

json processorWithFirst(const std::string& token, int id)
{
    if (token.empty())
        return nullptr;
    const auto piece = [](const char* kind, const std::string& name, int type) {
        return json{{kind, {{"id", name}, {"type_id", type}}}};
    };
    const json first = piece("SpecialToken", token, 0), second = piece("SpecialToken", token, 1);
    return {{"type", "TemplateProcessing"},
            {"single", json::array({first, piece("Sequence", "A", 0)})},
            {"pair", json::array({first, piece("Sequence", "A", 0), second, piece("Sequence", "B", 1)})},
            {"special_tokens",
             {{token, {{"id", token}, {"ids", json::array({id})}, {"tokens", json::array({token})}}}}}};
}

} // namespace sparserl
