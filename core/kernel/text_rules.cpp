// SPDX-License-Identifier: Apache-2.0
#include "kernel/text_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Length of the well-formed UTF-8 sequence at `i` (Unicode 15, table 3-7), or 0.
std::size_t utf8Length(std::string_view text, std::size_t i)
{
    const auto byte = [&](std::size_t k) {
        return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
    };
    const auto continues = [&](std::size_t k, unsigned low = 0x80, unsigned high = 0xbf) {
        return byte(k) >= low && byte(k) <= high;
    };
    const unsigned lead = byte(i);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return continues(i + 1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        const unsigned low = lead == 0xe0 ? 0xa0 : 0x80;
        const unsigned high = lead == 0xed ? 0x9f : 0xbf;
        return continues(i + 1, low, high) && continues(i + 2) ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const unsigned low = lead == 0xf0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xf4 ? 0x8f : 0xbf;
        return continues(i + 1, low, high) && continues(i + 2) && continues(i + 3) ? 4 : 0;
    }
    return 0;
}

} // namespace

std::optional<PlanError> checkProgramText(std::string_view text)
{
    if (text.size() > maxProgramBytes) {
        const auto lines = std::count(text.begin(), text.begin() + maxProgramBytes, '\n');
        return PlanError{static_cast<int>(lines) + 1,
                         fmt::format("the first {} bytes of the program end here; it has {}, and more than "
                                     "{} are not allowed",
                                     maxProgramBytes, text.size(), maxProgramBytes)};
    }
    if (text.substr(0, 3) == "\xef\xbb\xbf")
        return PlanError{1, "the text starts with a byte order mark; save it as UTF-8 without one"};
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '\n')
            ++line;
        if (c == '\0')
            return PlanError{line, "the text contains a NUL byte"};
        if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
            return PlanError{line, "a carriage return without a line feed; lines end in LF or CRLF"};
        const std::size_t length = utf8Length(text, i);
        if (length == 0)
            return PlanError{line, "the text is not valid UTF-8"};
        i += length;
    }
    return std::nullopt;
}

} // namespace sparserl
