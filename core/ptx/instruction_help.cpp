// SPDX-License-Identifier: Apache-2.0
#include "ptx/instruction_help.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

std::string_view helpAmong(std::span<const ModifierHelp> list, std::string_view name)
{
    const auto found = std::ranges::find(list, name, &ModifierHelp::name);
    return found != list.end() ? found->help : std::string_view();
}

std::vector<std::string_view> modifiersOf(std::string_view spelling)
{
    std::vector<std::string_view> modifiers;
    for (auto dot = spelling.find('.'); dot != std::string_view::npos;) {
        const auto next = spelling.find('.', dot + 1);
        modifiers.push_back(spelling.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
        dot = next;
    }
    return modifiers;
}

void tellModifier(InstructionHelp& help, std::string_view modifier, std::string_view meaning)
{
    if (!meaning.empty())
        help.modifiers += fmt::format("{}.{}: {}", help.modifiers.empty() ? "" : "; ", modifier, meaning);
}

} // namespace sparserl
