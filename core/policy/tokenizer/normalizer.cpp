// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/normalizer.h"

#include "policy/tokenizer/file_steps.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>

namespace sparserl {

namespace {

using nlohmann::json;

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// ASCII is in both normal forms.
std::string normalForm(std::string_view text, int form)
{
    if (isAscii(text))
        return std::string(text);
    utf8proc_uint8_t* result = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &result,
                                   static_cast<utf8proc_option_t>(form));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, std::free);
    return size < 0 ? std::string(text)
                    : std::string(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
}

} // namespace

Status Normalizer::add(const json& value, int depth)
{
    if (value.is_null())
        return {};
    SPARSERL_TRY(const std::string type, stepType(value, "normalizer"));
    if (type == "Sequence") {
        SPARSERL_CHECK(checkStepKeys(value, {"normalizers"}));
        if (depth >= deepestSteps)
            return fail("sequences of normalizers are too deep", publishedTokenizer);
        const json& parts = value.at("normalizers");
        for (std::size_t i = 0; i < parts.size(); ++i) {
            SPARSERL_CHECK(add(parts.at(i), depth + 1));
        }
        return {};
    }
    if (m_steps.size() >= mostSteps)
        return fail("there are too many normalizers", publishedTokenizer);
    Step step;
    if (type == "NFC" || type == "NFD") {
        SPARSERL_CHECK(checkStepKeys(value, {}));
        step.form = UTF8PROC_STABLE | (type == "NFC" ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
    } else if (type == "Prepend") {
        SPARSERL_CHECK(checkStepKeys(value, {"prepend"}));
        step.front = true;
        step.content = value.at("prepend").get<std::string>();
    } else if (type == "Replace") {
        SPARSERL_CHECK(checkStepKeys(value, {"pattern", "content"}));
        SPARSERL_TRY(auto pattern, stepPattern(value.at("pattern"), PatternKinds::Text));
        step.replaced.push_back(std::move(pattern));
        step.content = value.at("content").get<std::string>();
    } else {
        return fail("texts are changed by the normalizer \"" + type + "\", which is not known here",
                    publishedTokenizer);
    }
    if (step.content.size() > longestStepText)
        return fail("a normalizer inserts a long text", publishedTokenizer);
    m_steps.push_back(std::move(step));
    return {};
}

Result<Normalizer> Normalizer::fromJson(const json& value)
{
    Normalizer normalizer;
    SPARSERL_CHECK(normalizer.add(value, 0));
    return normalizer;
}

std::string Normalizer::apply(std::string_view text, PatternWork& work) const
{
    std::string changed(text);
    for (const Step& step : m_steps) {
        if (step.form != 0) {
            changed = normalForm(changed, step.form);
        } else if (step.front) {
            if (!changed.empty())
                changed.insert(0, step.content);
        } else {
            changed = replaceAll(changed, step.replaced.front(), step.content, work);
        }
        checkGrowth(text.size(), changed.size());
    }
    return changed;
}

} // namespace sparserl
