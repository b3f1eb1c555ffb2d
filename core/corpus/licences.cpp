// SPDX-License-Identifier: Apache-2.0
#include "corpus/licences.h"

#include "base/trimmed.h"
#include "corpus/scan.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

/// Lower case, every run of other characters than letters and digits one blank: how a text is wrapped or
/// commented does not count.
std::string words(std::string_view text)
{
    std::string result = " ";
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (result.back() != ' ')
            result += ' ';
    }
    return result + " ";
}

struct Fingerprint
{
    const char* licence;
    const char* has;
    const char* without = nullptr;
};
/// In this order: the first that fits. Words of the licences' own texts and of the notices that they ask for.
const Fingerprint fingerprints[] = {
    {"AGPL-3.0-only", " gnu affero general public license "},
    {"LGPL-3.0-only", " gnu lesser general public license "},
    {"LGPL-2.0-only", " gnu library general public license "},
    {"GPL-3.0-only", " gnu general public license "},
    {"MPL-2.0", " mozilla public license "},
    {"EPL-2.0", " eclipse public license "},
    {"CC-BY-NC-4.0", " creative commons attribution noncommercial "},
    {"BSL-1.0", " boost software license "},
    {"Apache-2.0", " apache license version 2 0 "},
    {"Apache-2.0", " licensed under the apache license "},
    {"CC0-1.0", " cc0 1 0 universal "},
    {"Unlicense", " this is free and unencumbered software released into the public domain "},
    {"MIT", " permission is hereby granted free of charge to any person obtaining a copy "},
    {"BSD-4-Clause", " all advertising materials mentioning features "},
    {"BSD-3-Clause", " redistribution and use in source and binary forms ", nullptr},
    {"ISC", " permission to use copy modify and or distribute this software for any purpose "},
    {"ISC", " permission to use copy modify and distribute this software for any purpose "},
    {"MIT", " licensed under the mit license "},
    {"MIT", " released under the mit license "},
    {"MIT", " use of this source code is governed by an mit style license "},
    {"BSD-3-Clause", " use of this source code is governed by a bsd style license "},
};
const char* const forbidding[] = {" confidential ", " proprietary ", " do not distribute ",
                                  " may not be copied ", " non commercial "};

std::string lowered(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// expression := term {"OR" term}; term := factor {"AND" factor}; factor := "(" expression ")" | id ["WITH"
/// id]
class Expression
{
public:
    Expression(std::string_view text, const std::vector<std::string>& allowed)
        : m_allowed(allowed)
    {
        std::string word;
        for (const char c : std::string(text) + " ") {
            if (c == '(' || c == ')' || std::isspace(static_cast<unsigned char>(c))) {
                if (!word.empty())
                    m_words.push_back(std::exchange(word, {}));
                if (c == '(' || c == ')')
                    m_words.emplace_back(1, c);
            } else {
                word += c;
            }
        }
    }
    bool allowed() { return any(0) && m_at == m_words.size() && m_whole; }

private:
    bool take(std::string_view word)
    {
        if (m_at < m_words.size() && lowered(m_words[m_at]) == word) {
            ++m_at;
            return true;
        }
        return false;
    }
    bool any(int depth)
    {
        bool result = all(depth);
        while (take("or"))
            result = all(depth) || result;
        return result;
    }
    bool all(int depth)
    {
        bool result = one(depth);
        while (take("and"))
            result = one(depth) && result;
        return result;
    }
    bool one(int depth)
    {
        if (depth < 32 && take("(")) {
            const bool result = any(depth + 1);
            m_whole = take(")") && m_whole;
            return result;
        }
        if (m_at >= m_words.size() || m_words[m_at] == "(" || m_words[m_at] == ")") {
            m_whole = false;
            return false;
        }
        const std::string id = lowered(m_words[m_at++]);
        if (take("with") && m_at < m_words.size())
            ++m_at;
        return std::any_of(m_allowed.begin(), m_allowed.end(),
                           [&](const std::string& allowed) { return lowered(allowed) == id; });
    }

    const std::vector<std::string>& m_allowed;
    std::vector<std::string> m_words;
    std::size_t m_at = 0;
    bool m_whole = true;
};

} // namespace

bool licenceAllowed(std::string_view expression, const std::vector<std::string>& allowed)
{
    return Expression(expression, allowed).allowed();
}

std::string identifyLicence(std::string_view text)
{
    const std::string all = words(text);
    for (const auto& print : fingerprints) {
        if (all.find(print.has) == std::string::npos)
            continue;
        if (std::string_view(print.licence) == "BSD-3-Clause" &&
            all.find(" redistribution ") != std::string::npos &&
            all.find(" neither the name ") == std::string::npos &&
            all.find(" the names of ") == std::string::npos)
            return "BSD-2-Clause";
        return print.licence;
    }
    return {};
}

std::string statedLicence(std::string_view source)
{
    constexpr std::size_t headBytes = 8192;
    const std::string_view head = source.substr(0, headBytes);
    constexpr std::string_view tag = "SPDX-License-Identifier:";
    std::vector<std::string> tags;
    for (std::size_t at = head.find(tag); at != std::string_view::npos; at = head.find(tag, at)) {
        at += tag.size();
        auto id = head.substr(at, head.substr(at).find('\n'));
        id = trimmed(id.substr(0, id.find("*/")));
        if (!id.empty())
            tags.emplace_back(id);
    }
    if (tags.size() == 1)
        return tags[0];
    std::string joined;
    for (const auto& one : tags)
        joined += (joined.empty() ? "(" : " AND (") + one + ")";
    if (!joined.empty())
        return joined;
    std::string found = identifyLicence(head);
    if (!found.empty())
        return found;
    const std::string all = words(head);
    for (const char* forbidden : forbidding) {
        if (all.find(forbidden) != std::string::npos && all.find(" copyright ") != std::string::npos)
            return "NOASSERTION";
    }
    return {};
}

bool isLicenceFile(std::string_view fileName)
{
    const std::string name = lowered(fileName);
    return name.starts_with("license") || name.starts_with("licence") || name.starts_with("copying") ||
           name == "unlicense" || name.starts_with("unlicense.");
}

} // namespace sparserl
