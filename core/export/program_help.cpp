// SPDX-License-Identifier: Apache-2.0
#include "export/program_help.h"

#include "base/line_diff.h"
#include "compile/sass.h"
#include "compile/sass_help.h"
#include "ptx/opcode_help.h"
#include "ptx/opcodes.h"

#include <fmt/format.h>

namespace sparserl {

InstructionHelps explainPtxText(const std::string& ptx)
{
    InstructionHelps helps;
    for (const std::string& line : splitLines(ptx)) {
        const std::string_view name = ptx::opcodeOf(line);
        if (name.empty() || helps.contains(std::string(name)))
            continue;
        if (const ptx::OpcodeForm* form = ptx::findOpcode(name))
            helps.emplace(name, ptx::explain(*form, name));
    }
    return helps;
}

InstructionHelps explainSassText(const std::string& sass)
{
    InstructionHelps helps;
    for (const std::string& line : splitLines(sass)) {
        const std::string_view name = sassName(line);
        if (name.empty() || helps.contains(std::string(name)))
            continue;
        if (auto help = explainSass(name))
            helps.emplace(name, std::move(*help));
    }
    return helps;
}

std::string helpText(const InstructionHelps& helps)
{
    std::string text;
    for (const auto& [name, help] : helps) {
        text += fmt::format("{}{}{}\n", name, help.operands.empty() ? "" : " ", help.operands);
        for (const std::string* part : {&help.sentence, &help.modifiers, &help.cost})
            if (!part->empty())
                text += fmt::format("    {}\n", *part);
    }
    return text;
}

} // namespace sparserl
