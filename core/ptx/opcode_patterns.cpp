// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcode_patterns.h"

#include <algorithm>
#include <cassert>

namespace sparserl::ptx {

namespace {

using Texts = std::vector<std::string>;

Texts alternatives(std::string_view& rest);

/// Texts of what stands up to the next '|', ')' or ']', or the end.
Texts sequence(std::string_view& rest)
{
    Texts found{std::string()};
    while (!rest.empty() && rest.front() != '|' && rest.front() != ')' && rest.front() != ']') {
        const char open = rest.front();
        rest.remove_prefix(1);
        Texts parts{std::string(1, open)};
        if (open == '(' || open == '[') {
            parts = alternatives(rest);
            assert(!rest.empty() && rest.front() == (open == '(' ? ')' : ']'));
            rest.remove_prefix(1);
            if (open == '[')
                parts.emplace_back();
        }
        Texts longer;
        for (const std::string& before : found)
            for (const std::string& part : parts)
                longer.push_back(before + part);
        found = std::move(longer);
    }
    return found;
}

Texts alternatives(std::string_view& rest)
{
    Texts found = sequence(rest);
    while (!rest.empty() && rest.front() == '|') {
        rest.remove_prefix(1);
        Texts more = sequence(rest);
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

} // namespace

std::vector<std::string> expandPattern(std::string_view pattern)
{
    Texts found = alternatives(pattern);
    assert(pattern.empty());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace sparserl::ptx
