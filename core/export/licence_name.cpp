// SPDX-License-Identifier: Apache-2.0
#include "export/licence_name.h"

#include "base/format.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

namespace sparserl {

namespace {

constexpr const char* licences[] = {
#include "export/spdx_licences.def"
};
constexpr const char* exceptions[] = {
#include "export/spdx_exceptions.def"
};

/// Identifiers, operators and brackets.
std::vector<std::string> wordsOf(std::string_view expression)
{
    std::vector<std::string> words(1);
    for (const char c : expression) {
        if (c == ' ' || c == '(' || c == ')')
            words.emplace_back();
        if (c == '(' || c == ')')
            words.back() = c;
        if (c == '(' || c == ')')
            words.emplace_back();
        else if (c != ' ')
            words.back() += c;
    }
    std::erase(words, std::string());
    return words;
}

bool isOwnName(std::string_view word)
{
    const auto at = word.find("LicenseRef-");
    if (at == std::string_view::npos || (at > 0 && !word.starts_with("DocumentRef-")))
        return false;
    const std::string_view name = word.substr(at + std::string_view("LicenseRef-").size());
    return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '.';
    });
}

Status unknown(const std::string& word, const char* what, const std::vector<std::string>& known)
{
    const std::string near = nearestWord(word, known);
    return fail(fmt::format("\"{}\" is not an SPDX identifier of {}", word, what),
                near.empty()
                    ? "Use one of spdx.org/licenses, or write LicenseRef-NAME for a licence of your own"
                    : fmt::format("Did you mean {}?", near));
}

Status checkName(const std::string& word)
{
    const std::string plain = word.ends_with('+') ? word.substr(0, word.size() - 1) : word;
    if (isOwnName(word) || std::find(std::begin(licences), std::end(licences), plain) != std::end(licences))
        return {};
    return unknown(word, "a licence", {std::begin(licences), std::end(licences)});
}

} // namespace

Status checkLicence(std::string_view expression)
{
    int open = 0;
    bool wantsName = true;
    const auto words = wordsOf(expression);
    const auto malformed = [&] {
        return fail(fmt::format("\"{}\" is not an SPDX licence expression", expression),
                    "Write one such as Apache-2.0 or \"MIT OR Apache-2.0\"");
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const bool joins = word == "AND" || word == "OR";
        if (word == "(" || word == ")" || joins || word == "WITH") {
            if (wantsName != (word == "("))
                return malformed();
            open += word == "(" ? 1 : word == ")" ? -1 : 0;
            wantsName = word != ")";
            if (open < 0)
                return malformed();
            continue;
        }
        if (!wantsName)
            return malformed();
        wantsName = false;
        if (i == 0 || words[i - 1] != "WITH") {
            SPARSERL_CHECK(checkName(word));
        } else if (std::find(std::begin(exceptions), std::end(exceptions), word) == std::end(exceptions)) {
            return unknown(word, "an exception", {std::begin(exceptions), std::end(exceptions)});
        }
    }
    return wantsName || open != 0 ? malformed() : Status();
}

} // namespace sparserl
