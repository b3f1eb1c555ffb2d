// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/file_steps.h"

#include "base/failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

using nlohmann::json;

Result<std::string> stepType(const json& step, const char* kind)
{
    if (!step.is_object() || !step.contains("type") || !step["type"].is_string())
        return fail(fmt::format("a {} has no type", kind), publishedTokenizer);
    return step["type"].get<std::string>();
}

Status checkStepKeys(const json& step, std::initializer_list<std::string_view> known)
{
    for (const auto& [key, value] : step.items()) {
        if (key != "type" && std::find(known.begin(), known.end(), key) == known.end())
            return fail(fmt::format("\"{}\" of the step \"{}\" is not known here", key,
                                    step["type"].get<std::string>()),
                        publishedTokenizer);
    }
    return {};
}

Result<TextPattern> stepPattern(const json& pattern, PatternKinds kinds)
{
    const bool one = pattern.is_object() && pattern.size() == 1;
    if (one && pattern.contains("String"))
        return TextPattern::literal(pattern["String"].get<std::string>());
    if (one && pattern.contains("Regex") && kinds == PatternKinds::Either)
        return TextPattern::compile(pattern["Regex"].get<std::string>());
    return fail("the pattern of a step is of a kind that is not known here", publishedTokenizer);
}

void checkGrowth(std::size_t before, std::size_t now)
{
    constexpr std::size_t factor = 64, anyText = 4096;
    if (now / factor > before + anyText)
        throw Failure({fmt::format("the tokenizer's steps make {} bytes of a text of {}", now, before),
                       {},
                       0,
                       publishedTokenizer});
}

std::string replaceAll(std::string_view text, const TextPattern& pattern, std::string_view by,
                       PatternWork& work)
{
    std::string replaced;
    std::size_t at = 0;
    pattern.forEachMatch(text, work, [&](std::size_t begin, std::size_t end) {
        replaced += text.substr(at, begin - at);
        replaced += by;
        at = end;
    });
    return replaced += text.substr(at);
}

} // namespace sparserl
