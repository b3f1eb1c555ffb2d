// SPDX-License-Identifier: Apache-2.0
#include "machine/sandbox_level.h"

#include <algorithm>

namespace sparserl {

std::string_view nameOf(SandboxLevel level)
{
    constexpr std::array<std::string_view, sandboxLevels.size()> names{"none", "calls", "files", "full"};
    return names[static_cast<std::size_t>(level)];
}

std::optional<SandboxLevel> sandboxLevelFromName(std::string_view name)
{
    const auto* const found = std::find_if(sandboxLevels.begin(), sandboxLevels.end(),
                                           [&](SandboxLevel level) { return nameOf(level) == name; });
    return found == sandboxLevels.end() ? std::nullopt : std::optional(*found);
}

std::string_view meaningOf(SandboxLevel level)
{
    constexpr std::array<std::string_view, sandboxLevels.size()> meanings{
        "System calls are not filtered.",
        "System calls are filtered, but files that the user can read can be read.",
        "System calls are filtered; files and other processes of the user are out of reach.",
        "Only the system calls that the role needs are allowed; the user's files and other processes are "
        "protected twice: by Landlock, and by namespaces or another user."};
    return meanings[static_cast<std::size_t>(level)];
}

std::string RoleSandbox::words() const
{
    std::string text(nameOf(level));
    for (std::size_t i = 0; i < lacks.size(); ++i)
        text += (i == 0 ? " (" : ", ") + lacks[i];
    return lacks.empty() ? text : text + ")";
}

} // namespace sparserl
