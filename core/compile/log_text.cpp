// SPDX-License-Identifier: Apache-2.0
#include "compile/log_text.h"

namespace sparserl {

namespace {

/// Bytes of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
        (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

} // namespace

std::string trimLog(std::string_view log)
{
    std::string kept;
    for (std::size_t i = 0; i < log.size();) {
        const std::size_t length = sequenceLength(log.substr(i, 4));
        const char c = log[i];
        const bool control = length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
        const std::string_view piece = length && !control ? log.substr(i, length) : std::string_view("?");
        const std::string note = "\n(" + std::to_string(log.size() - i) + " more bytes)";
        if (kept.size() + piece.size() + 32 > maxLogBytes)
            return kept + note;
        kept += piece;
        i += length ? length : 1;
    }
    while (!kept.empty() && (kept.back() == '\n' || kept.back() == ' '))
        kept.pop_back();
    return kept;
}

} // namespace sparserl
