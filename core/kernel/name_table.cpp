// SPDX-License-Identifier: Apache-2.0
#include "kernel/name_table.h"

#include <algorithm>

namespace sparserl {

const Name* NameTable::find(std::string_view name) const
{
    for (auto level = m_levels.rbegin(); level != m_levels.rend(); ++level) {
        const auto found = level->names.find(name);
        if (found != level->names.end())
            return &found->second;
    }
    return nullptr;
}

Name* NameTable::findHere(std::string_view name)
{
    const auto found = m_levels.back().names.find(name);
    return found == m_levels.back().names.end() ? nullptr : &found->second;
}

const Name* NameTable::findInHeader(std::string_view name) const
{
    if (m_levels.size() < 2 || top() != Scope::Block)
        return nullptr;
    const Level& around = m_levels[m_levels.size() - 2];
    if (around.kind != Scope::Loop && around.kind != Scope::If && around.kind != Scope::Else &&
        around.kind != Scope::Switch)
        return nullptr;
    const auto found = around.names.find(name);
    return found == around.names.end() ? nullptr : &found->second;
}

bool NameTable::inside(std::initializer_list<Scope> kinds) const
{
    return std::any_of(m_levels.begin(), m_levels.end(), [&](const Level& level) {
        return std::find(kinds.begin(), kinds.end(), level.kind) != kinds.end();
    });
}

} // namespace sparserl
