// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/splitter.h"

#include "policy/tokenizer/file_steps.h"
#include "policy/tokenizer/tokenizer.h"
#include "policy/tokenizer/unicode_classes.h"
#include "policy/tokenizer/utf8.h"

#include <array>

namespace sparserl {

using nlohmann::json;

Result<Splitter::Step> Splitter::split(const json& value)
{
    SPARSERL_CHECK(checkStepKeys(value, {"pattern", "behavior", "invert"}));
    Step step;
    SPARSERL_TRY(auto pattern, stepPattern(value.at("pattern"), PatternKinds::Either));
    step.pattern.push_back(std::move(pattern));
    step.inverted = value.value("invert", false);
    const auto named = value.at("behavior").get<std::string>();
    constexpr std::array<std::pair<std::string_view, Behaviour>, 5> behaviours{
        {{"Removed", Behaviour::Removed},
         {"Isolated", Behaviour::Isolated},
         {"MergedWithPrevious", Behaviour::MergedWithPrevious},
         {"MergedWithNext", Behaviour::MergedWithNext},
         {"Contiguous", Behaviour::Contiguous}}};
    for (const auto& [name, behaviour] : behaviours) {
        if (name == named) {
            step.behaviour = behaviour;
            return step;
        }
    }
    return fail("the behaviour \"" + named + "\" of the step \"Split\" is not known here",
                publishedTokenizer);
}

Result<Splitter::Step> Splitter::metaspace(const json& value)
{
    SPARSERL_CHECK(
        checkStepKeys(value, {"replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"}));
    Step step;
    step.kind = Kind::Metaspace;
    step.replacement = value.at("replacement").get<std::string>();
    if (step.replacement.empty() || utf8CharacterAt(step.replacement, 0).size != step.replacement.size())
        return fail("the replacement of the step \"Metaspace\" is not one character", publishedTokenizer);
    SPARSERL_TRY(auto pattern, TextPattern::literal(step.replacement));
    step.pattern.push_back(std::move(pattern));
    step.behaviour = Behaviour::MergedWithNext;
    step.splits = value.value("split", true);
    // Older files say only whether.
    const bool prefix = value.value("add_prefix_space", true);
    const auto scheme = value.value("prepend_scheme", std::string(prefix ? "always" : "never"));
    if (scheme != "always" && scheme != "first" && scheme != "never")
        return fail("the scheme \"" + scheme + "\" of the step \"Metaspace\" is not known here",
                    publishedTokenizer);
    step.prefix = scheme == "always" ? Prefix::Always : scheme == "first" ? Prefix::First : Prefix::Never;
    return step;
}

Status Splitter::add(const json& value, int depth)
{
    if (value.is_null())
        return {};
    SPARSERL_TRY(const std::string type, stepType(value, "pre-tokenizer"));
    if (type == "Sequence") {
        SPARSERL_CHECK(checkStepKeys(value, {"pretokenizers"}));
        if (depth >= deepestSteps)
            return fail("sequences of pre-tokenizers are too deep", publishedTokenizer);
        const json& parts = value.at("pretokenizers");
        for (std::size_t i = 0; i < parts.size(); ++i)
            SPARSERL_CHECK(add(parts.at(i), depth + 1));
        return {};
    }
    if (m_steps.size() >= mostSteps)
        return fail("there are too many pre-tokenizers", publishedTokenizer);
    if (m_byteLevel)
        return fail("a pre-tokenizer comes after \"ByteLevel\", which is not known here", publishedTokenizer);
    if (type == "Split") {
        SPARSERL_TRY(auto step, split(value));
        m_steps.push_back(std::move(step));
    } else if (type == "Metaspace") {
        SPARSERL_TRY(auto step, metaspace(value));
        m_steps.push_back(std::move(step));
    } else if (type == "Digits") {
        SPARSERL_CHECK(checkStepKeys(value, {"individual_digits"}));
        Step step;
        step.kind = Kind::Digits;
        step.behaviour =
            value.value("individual_digits", false) ? Behaviour::Isolated : Behaviour::Contiguous;
        m_steps.push_back(std::move(step));
    } else if (type == "ByteLevel") {
        SPARSERL_CHECK(checkStepKeys(value, {"add_prefix_space", "trim_offsets", "use_regex"}));
        Step step;
        step.kind = Kind::ByteLevel;
        step.prefix = value.value("add_prefix_space", true) ? Prefix::Always : Prefix::Never;
        step.splits = value.value("use_regex", true);
        m_steps.push_back(std::move(step));
        m_byteLevel = true;
    } else {
        return fail("texts are cut by the pre-tokenizer \"" + type + "\", which is not known here",
                    publishedTokenizer);
    }
    return {};
}

Result<Splitter> Splitter::fromJson(const json& value)
{
    Splitter splitter;
    SPARSERL_CHECK(splitter.add(value, 0));
    return splitter;
}

Splitter::Found Splitter::find(const Step& step, std::string_view text, PatternWork& work)
{
    Found found;
    std::size_t at = 0;
    const auto match = [&](std::size_t begin, std::size_t end) {
        if (begin > at)
            found.emplace_back(begin, step.inverted);
        found.emplace_back(end, !step.inverted);
        at = end;
    };
    if (step.kind == Kind::Digits) {
        for (std::size_t i = 0; i < text.size();) {
            const auto character = utf8CharacterAt(text, i);
            if (isUnicodeNumber(character.code))
                match(i, i + character.size);
            i += character.size;
        }
    } else {
        step.pattern.front().forEachMatch(text, work, match);
    }
    if (at < text.size())
        found.emplace_back(text.size(), step.inverted);
    return found;
}

void Splitter::apply(const Step& step, std::string_view piece, bool atStart, CutText& into, PatternWork& work)
{
    std::string text;
    for (const char c : piece) {
        if (c == ' ' && step.kind == Kind::Metaspace)
            text += step.replacement;
        else
            text += c;
    }
    const std::string_view prefix = step.kind == Kind::Metaspace ? std::string_view(step.replacement) : " ";
    if ((step.prefix == Prefix::Always || (step.prefix == Prefix::First && atStart)) &&
        !text.starts_with(prefix))
        text.insert(0, prefix);
    const std::size_t before = into.text.size();
    const auto endAt = [&](std::size_t end) {
        if (before + end > (into.ends.empty() ? 0 : into.ends.back()))
            into.ends.push_back(before + end);
    };
    if (step.kind == Kind::ByteLevel && step.splits) {
        std::size_t end = 0;
        for (const std::string_view part : preTokenize(text, PreTokenizer::Gpt2))
            endAt(end += part.size());
    } else if (step.kind == Kind::ByteLevel || !step.splits) {
        endAt(text.size());
    } else {
        const Found found = find(step, text, work);
        if (step.behaviour == Behaviour::Removed) {
            std::string kept;
            std::size_t at = 0;
            for (const auto& [end, isMatch] : found) {
                if (!isMatch) {
                    kept.append(text, at, end - at);
                    endAt(kept.size());
                }
                at = end;
            }
            into.text += kept;
            return;
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto& [end, isMatch] = found[i];
            const bool last = i + 1 == found.size();
            const bool nextIsMatch = !last && found[i + 1].second;
            // A run of matches joins its neighbour by its first (or last) one only.
            const bool joined =
                !last && ((step.behaviour == Behaviour::Contiguous && isMatch == nextIsMatch) ||
                          (step.behaviour == Behaviour::MergedWithPrevious && !isMatch && nextIsMatch) ||
                          (step.behaviour == Behaviour::MergedWithNext && isMatch && !nextIsMatch));
            if (!joined)
                endAt(end);
        }
    }
    into.text += text;
}

CutText Splitter::cut(std::string text, bool atStart, PatternWork& work) const
{
    const std::size_t first = text.size();
    CutText cut{std::move(text), {}};
    if (!cut.text.empty())
        cut.ends.push_back(cut.text.size());
    for (const Step& step : m_steps) {
        CutText next;
        next.text.reserve(cut.text.size() + 16);
        std::size_t at = 0;
        for (const std::size_t end : cut.ends) {
            apply(step, std::string_view(cut.text).substr(at, end - at), atStart && at == 0, next, work);
            at = end;
        }
        cut = std::move(next);
        checkGrowth(first, cut.text.size());
    }
    return cut;
}

} // namespace sparserl
