// SPDX-License-Identifier: Apache-2.0
// The regular expression of a pre-tokenizer, whose matcher is PCRE2's: the first line is the pattern, the
// rest a text.
#include "base/failure.h"
#include "base/printable.h"
#include "fuzz.h"
#include "policy/tokenizer/text_pattern.h"

#include <algorithm>

namespace {

using namespace sparserl;

void checkMatches(const TextPattern& pattern, std::string_view text)
try {
    PatternWork work(0);
    std::size_t before = 0;
    bool first = true;
    pattern.forEachMatch(text, work, [&](std::size_t begin, std::size_t end) {
        FUZZ_CHECK(begin >= before && end >= begin && end <= text.size());
        FUZZ_CHECK(first || end > before || begin > before);
        FUZZ_CHECK(isUtf8(text.substr(begin, end - begin)));
        before = end;
        first = false;
    });
} catch (const Failure& failure) {
    fuzz::checkError(failure.error());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view all = fuzz::textOf(data, size);
    const std::size_t line = std::min(all.find('\n'), all.size());
    const auto pattern = TextPattern::compile(all.substr(0, line));
    if (!pattern) {
        fuzz::checkError(pattern.error());
        return 0;
    }
    if (const std::string_view rest = all.substr(line); isUtf8(rest))
        checkMatches(*pattern, rest);
    checkMatches(
        *pattern,
        "int row = blockIdx.x;  \t\r\n\n  if (row's >= 1024) return; // \u00e9\u4f60 aaaaaaaaaaaaaaaa");
    return 0;
}
