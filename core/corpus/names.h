// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <set>
#include <string>
#include <string_view>

namespace sparserl {

/// The identifiers of one program. The naming of the style determines the name for a role ("row_ptr"). A role
/// always gets the same name, and no two roles share a name.
class Names
{
public:
    explicit Names(const Style& style)
        : m_style(style)
    {
    }
    const std::string& of(std::string_view role);

private:
    Style m_style;
    std::map<std::string, std::string, std::less<>> m_chosen;
    std::set<std::string> m_used = {"x", "y", "B", "C", "BLOCK", "T", "SLICE", "L", "P", "Q", "R", "K", "U"};
};

} // namespace sparserl
