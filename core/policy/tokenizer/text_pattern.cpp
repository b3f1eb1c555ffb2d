// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "policy/tokenizer/text_pattern.h"

#include "base/failure.h"
#include "policy/tokenizer/pattern_syntax.h"
#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <pcre2.h>

namespace sparserl {

namespace {

using Byte = PCRE2_UCHAR8;

// Published patterns take a few steps for a character. A match within the fewest steps is free, so that the
// cost of a text is bounded by its length; what takes more is counted.
constexpr std::int64_t fewestSteps = 200, highestLimit = 1u << 31;
constexpr std::int64_t stepsForAnyText = 4'000'000;
constexpr std::int64_t stepsForEachByte = 200;
constexpr std::uint32_t heapKibibytes = 64 * 1024;

const std::string remedy = "Use a tokenizer as it was published";

std::string messageOf(int code)
{
    std::array<Byte, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

Error tooManySteps(std::size_t at)
{
    return {
        fmt::format("the pre-tokenizer's pattern needs too much time or memory for a text (at byte {})", at),
        {},
        0,
        "Use a tokenizer whose pattern does not try a text in so many ways"};
}

} // namespace

struct PatternWork::Impl
{
    std::int64_t steps = 0;
    std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data{
        pcre2_match_data_create(1, nullptr), pcre2_match_data_free};
    std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context{
        pcre2_match_context_create(nullptr), pcre2_match_context_free};
};

PatternWork::PatternWork(std::size_t textBytes)
    : m_impl(std::make_unique<Impl>())
{
    m_impl->steps = stepsForAnyText +
                    stepsForEachByte * static_cast<std::int64_t>(std::min<std::size_t>(textBytes, 1u << 30));
    pcre2_set_heap_limit(m_impl->context.get(), heapKibibytes);
}

PatternWork::~PatternWork() = default;

struct TextPattern::Code
{
    std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, pcre2_code_free};

    /// PCRE2's result for the first match from `at` on.
    int match(std::string_view text, std::size_t at, PatternWork::Impl& work) const
    {
        std::uint32_t options = PCRE2_NO_UTF_CHECK; // it was checked before it was cut
        for (std::int64_t steps = fewestSteps;; steps = std::min(16 * steps, work.steps + 1)) {
            pcre2_set_match_limit(work.context.get(),
                                  static_cast<std::uint32_t>(std::min(steps, highestLimit)));
            const int found = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR8>(text.data()), text.size(),
                                          at, options, work.data.get(), work.context.get());
            if (found != PCRE2_ERROR_MATCHLIMIT && found != PCRE2_ERROR_JIT_STACKLIMIT)
                return found;
            work.steps -= steps;
            if (work.steps < 0)
                return PCRE2_ERROR_MATCHLIMIT;
            if (found == PCRE2_ERROR_JIT_STACKLIMIT)
                options |= PCRE2_NO_JIT; // compiled matchers have a stack of 32 KiB, the other takes the heap
        }
    }
};

Result<TextPattern> TextPattern::compile(std::string_view pattern)
{
    SPARSERL_TRY(const std::string translated, pcrePattern(pattern));
    int error = 0;
    PCRE2_SIZE at = 0;
    const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
        pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    auto code = std::make_shared<Code>();
    code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR8>(translated.data()), translated.size(),
                                   PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &error, &at, context.get()));
    if (!code->code)
        return fail("the pre-tokenizer's pattern cannot be used: " + messageOf(error), remedy);
    // Where a system allows no code of its own, or the pattern is too large, it is interpreted.
    pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE);
    TextPattern compiled;
    compiled.m_code = std::move(code);
    return compiled;
}

Result<TextPattern> TextPattern::literal(std::string_view text)
{
    std::string pattern;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x80)
            pattern += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
        else
            pattern += c;
    }
    if (text.empty())
        return fail("a text that is looked for is empty", remedy);
    return compile(pattern);
}

void TextPattern::forEachMatch(std::string_view text, PatternWork& work,
                               const std::function<void(std::size_t begin, std::size_t end)>& take) const
{
    std::size_t at = 0;
    std::size_t lastEnd = std::string_view::npos;
    while (at <= text.size()) {
        const int found = m_code->match(text, at, *work.m_impl);
        if (found == PCRE2_ERROR_NOMATCH)
            return;
        if (found < 0)
            throw Failure(tooManySteps(at));
        const PCRE2_SIZE* place = pcre2_get_ovector_pointer(work.m_impl->data.get());
        const std::size_t begin = place[0], end = place[1];
        if (begin == end && end == lastEnd) {
            at += at < text.size() ? std::max<std::size_t>(1, utf8CharacterAt(text, at).size) : 1;
            continue;
        }
        at = lastEnd = end;
        take(begin, end);
    }
}

} // namespace sparserl
