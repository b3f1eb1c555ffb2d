// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <charconv>
#include <system_error>

namespace sparserl {

namespace {

bool isFormula(std::string_view text)
{
    if (text.size() < 2 || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos)
        return false;
    double number = 0;
    const char* from = text.data() + (text.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(from, text.data() + text.size(), number);
    return error != std::errc() || end != text.data() + text.size();
}

} // namespace

std::string csvQuoted(std::string_view text)
{
    std::string quoted = isFormula(text) ? "\"'" : "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    return quoted + '"';
}

std::string csvCell(const std::string& text)
{
    return text.find_first_of(",\"\n\r") == std::string::npos && !isFormula(text) ? text : csvQuoted(text);
}

} // namespace sparserl
