// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

namespace sparserl {

std::string csvQuoted(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    return quoted + '"';
}

std::string csvCell(const std::string& text)
{
    return text.find_first_of(",\"\n\r") == std::string::npos ? text : csvQuoted(text);
}

} // namespace sparserl
