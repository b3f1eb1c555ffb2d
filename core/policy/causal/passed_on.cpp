// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/passed_on.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"

#include <utility>

namespace sparserl {

using nlohmann::json;

namespace {

constexpr const char *templateKey = "chat_template", *generationKey = "generation_config";

} // namespace

Result<PassedOn> passedOnOf(const std::filesystem::path& directory, std::string chatTemplate)
{
    constexpr std::size_t most = 64 << 10;
    PassedOn passedOn{std::move(chatTemplate), {}};
    const auto file = directory / "generation_config.json";
    if (!glance(file).exists)
        return passedOn;
    SPARSERL_TRY(const std::string text, readFile(file, most));
    SPARSERL_TRY(const json value, parseJson(text, file.string()));
    if (!value.is_object())
        return failAt(file.string(), 0, "this is not a JSON object", "Take the file as it was published");
    passedOn.generationConfig = value.dump();
    return passedOn;
}

void writePassedOn(const PassedOn& passedOn, json& own)
{
    if (!passedOn.chatTemplate.empty())
        own[templateKey] = passedOn.chatTemplate;
    if (!passedOn.generationConfig.empty())
        own[generationKey] = passedOn.generationConfig; // As text, which nests no deeper than it may.
}

Result<PassedOn> passedOnFromJson(const json& own)
{
    PassedOn passedOn;
    if (!own.is_object())
        return passedOn;
    if (own.contains(templateKey)) {
        SPARSERL_TRY(passedOn.chatTemplate, jsonRequire<std::string>(own, templateKey));
    }
    if (own.contains(generationKey)) {
        SPARSERL_TRY(passedOn.generationConfig, jsonRequire<std::string>(own, generationKey));
        const auto value = parseJson(passedOn.generationConfig);
        if (!value || !value->is_object())
            return fail("\"generation_config\" is not the text of a JSON object", "Remove it");
    }
    return passedOn;
}

} // namespace sparserl
