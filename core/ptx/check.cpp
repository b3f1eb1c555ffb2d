// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"
#include "ptx/operand_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace sparserl::ptx {

namespace {

/// A call path from `function` back to a function on the path, by depth-first search with a stack of its own:
/// chains of calls may be long.
bool recursive(const Names& names, const Function& function, std::unordered_map<const Function*, int>& state)
{
    enum
    {
        OnPath = 1,
        Done = 2
    };
    struct Level
    {
        const Function* function;
        std::size_t next = 0; ///< Instruction.
    };
    if (state[&function] == Done)
        return false;
    std::vector<Level> path{{&function}};
    state[&function] = OnPath;
    while (!path.empty()) {
        Level& level = path.back();
        if (level.next == level.function->instructions.size()) {
            state[level.function] = Done;
            path.pop_back();
            continue;
        }
        const Instruction& instruction = level.function->instructions[level.next++];
        if (!instruction.form || instruction.form->action != Action::Call)
            continue;
        const auto target =
            std::find_if(instruction.operands.begin(), instruction.operands.end(),
                         [](const Operand& operand) { return operand.kind == Operand::Kind::Symbol; });
        const Function* callee =
            target == instruction.operands.end() ? nullptr : names.function(target->name);
        if (!callee)
            continue;
        int& seen = state[callee];
        if (seen == OnPath)
            return true;
        if (seen == Done)
            continue;
        seen = OnPath;
        path.push_back({callee});
    }
    return false;
}

} // namespace

std::optional<Unsupported> firstUnsupported(const Module& module)
{
    for (const Variable& variable : module.variables) {
        // What has initial values is data that nothing may write; anything else would be state.
        if (variable.space == Space::Global && (variable.external || variable.initial.empty()))
            return Unsupported{
                fmt::format("the global variable '{}' is not allowed: it would keep state between "
                            "launches",
                            variable.name),
                {},
                0,
                variable.ptxLine};
        if (variable.initialAddresses)
            return Unsupported{fmt::format("the table of addresses '{}' is not supported", variable.name),
                               {},
                               0,
                               variable.ptxLine};
    }
    const Names names(module);
    std::unordered_map<const Function*, int> calls;
    for (const Function& function : module.functions) {
        if (function.declaration) {
            if (function.external)
                return Unsupported{fmt::format("the external function '{}' is not allowed", function.name),
                                   function.name, 0, function.ptxLine};
            continue;
        }
        for (const Variable& variable : function.variables) {
            if (variable.initialAddresses)
                return Unsupported{fmt::format("the table of addresses '{}' is not supported", variable.name),
                                   function.name, 0, variable.ptxLine};
            if (variable.space == Space::Global && variable.initial.empty())
                return Unsupported{
                    fmt::format("the global variable '{}' is not allowed: it would keep state between "
                                "launches",
                                variable.name),
                    function.name, 0, variable.ptxLine};
        }
        OperandCheck operands(names, function);
        for (const Instruction& instruction : function.instructions) {
            std::string reason = operands.check(instruction);
            for (const Operand& operand : instruction.operands) {
                if (reason.empty() || operand.kind != Operand::Kind::Special || operand.index >= 0)
                    continue;
                reason = fmt::format("the special register '{}' is not allowed", operand.name);
            }
            if (!reason.empty())
                return Unsupported{std::move(reason), function.name, instruction.line, instruction.ptxLine};
        }
        if (recursive(names, function, calls))
            return Unsupported{fmt::format("'{}' calls itself, which is not allowed", function.name),
                               function.name, 0, function.ptxLine};
    }
    return std::nullopt;
}

} // namespace sparserl::ptx
