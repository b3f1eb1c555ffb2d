// SPDX-License-Identifier: Apache-2.0
#include "remote/shell_words.h"

#include "base/printable.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

std::string shellQuote(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''"; // ends the quotes, a quote by itself, begins them again
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string shellLine(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + shellQuote(word);
    return line;
}

Status checkRemoteText(std::string_view what, std::string_view text)
{
    const bool bad = std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f || c == '\\';
    });
    if (text.empty() || bad)
        return fail(fmt::format("{} \"{}\" cannot be used on another machine: {}", what,
                                shortened(printable(text), 200),
                                text.empty() ? "it is empty" : "it has a backslash or a control character"),
                    "Choose another name");
    return {};
}

Status checkHostName(std::string_view host)
{
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._-@").find(c) != std::string_view::npos;
    };
    if (host.empty() || host.front() == '-' || host.size() > 255 ||
        !std::all_of(host.begin(), host.end(), allowed))
        return fail(fmt::format("\"{}\" is not the name of a host", shortened(printable(host), 200)),
                    "Give a name as ssh takes it, such as one of ~/.ssh/config; ports, addresses with colons "
                    "and the like belong there");
    return {};
}

std::string remotePath(std::string_view path)
{
    if (path.starts_with("~/"))
        path.remove_prefix(2);
    if (path.starts_with('/'))
        return std::string(path);
    return "./" + std::string(path);
}

} // namespace sparserl
