// SPDX-License-Identifier: Apache-2.0
#include "verdict/flags.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

/// In the order of VerdictFlag.
constexpr std::array<std::string_view, 8> flagNames{"out-of-memory",        "not-finite",       "suspicious",
                                                    "slower-than-baseline", "nondeterministic", "copied",
                                                    "not-measured",         "verified-again"};

} // namespace

std::string_view nameOf(VerdictFlag flag)
{
    return flagNames[static_cast<std::size_t>(flag)];
}

std::optional<VerdictFlag> verdictFlagFromName(std::string_view name)
{
    const auto found = std::find(flagNames.begin(), flagNames.end(), name);
    if (found == flagNames.end())
        return std::nullopt;
    return static_cast<VerdictFlag>(found - flagNames.begin());
}

VerdictFlags::VerdictFlags(std::initializer_list<VerdictFlag> flags)
{
    for (const VerdictFlag flag : flags)
        add(flag);
}

bool VerdictFlags::has(std::string_view name) const
{
    return std::find(m_names.begin(), m_names.end(), name) != m_names.end();
}

void VerdictFlags::add(VerdictFlag flag)
{
    if (!has(flag))
        m_names.emplace_back(nameOf(flag));
}

} // namespace sparserl
