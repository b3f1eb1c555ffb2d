// SPDX-License-Identifier: Apache-2.0
#include "compile/gate.h"

#include "base/printable.h"
#include "ptx/constant_tables.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace sparserl {

namespace {

// Directives that say how to compile or debug, never what a program can reach. Everything that is not here
// (.extern, .weak, .alias, .surfref, .texref, .samplerref, .branchtargets, .callprototype, ...) is refused.
constexpr std::array<std::string_view, 13> moduleDirectives{
    ".version", ".target", ".address_size", ".file",  ".section", ".loc",         ".visible",
    ".pragma",  ".func",   ".entry",        ".globl", ".maxntid", ".minnctapersm"};
constexpr std::array<std::string_view, 12> functionDirectives{
    ".pragma", ".maxntid", ".reqntid", ".minnctapersm", ".loc",      ".maxnreg",
    ".reg",    ".param",   ".local",   ".shared",       ".noreturn", ".section"};

template <typename List>
bool contains(const List& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// The reason against a variable, or nothing.
std::optional<std::string> refuseVariable(const ptx::Variable& v)
{
    if (v.space == ptx::Space::Global)
        return "the program keeps data on the device in '" + v.name +
               "' (a __device__, __managed__ or static variable, a string, or .global in asm); only buffers "
               "of the "
               "plan may be used";
    if (v.external && v.space != ptx::Space::Shared)
        return "'" + v.name + "' is external: a program is complete in itself";
    if (v.initialAddresses)
        return "'" + v.name + "' is initialised with addresses (a table of functions or pointers)";
    return std::nullopt;
}

/// What changes no result of this call, but fills or keeps caches for others (docs/evaluation.md 3 #13): the
/// simulator runs it, timing must not see it.
bool leavesTraces(const ptx::Instruction& instruction)
{
    return instruction.keepsInCache || instruction.form->action == ptx::Action::Prefetch;
}

/// What no analysis of data can mend: other modules' functions and unknown directives.
std::optional<Rejection> refuseDeclarations(const ptx::Module& module)
{
    if (module.addressSize != 64)
        return Rejection{0, "the PTX is not 64-bit"};
    for (const auto& directive : module.directives)
        if (!contains(moduleDirectives, directive))
            return Rejection{0, "the PTX directive " + directive + " is not allowed"};
    for (const auto& function : module.functions) {
        if (function.external || function.declaration) {
            const auto* body = module.find(function.name);
            if (function.external || !body)
                return Rejection{
                    0, "the program calls '" + function.name +
                           "', which it does not define (printf, malloc, assert and the device run-time "
                           "library are not there)"};
        }
    }
    return std::nullopt;
}

/// A `.param` variable of a body that no call takes; nvJitLink crashes where it is used. Or nullptr.
const ptx::Variable* parameterWithoutCall(const ptx::Function& function)
{
    std::vector<bool> taken(function.variables.size(), false);
    for (const ptx::Instruction& instruction : function.instructions) {
        if (!instruction.form || instruction.form->action != ptx::Action::Call)
            continue;
        for (const ptx::Operand& operand : instruction.operands)
            for (const ptx::Operand& element : operand.elements)
                if (element.variable >= 0)
                    taken[element.variable] = true;
    }
    for (std::size_t i = 0; i < taken.size(); ++i)
        if (function.variables[i].space == ptx::Space::Param && !taken[i])
            return &function.variables[i];
    return nullptr;
}

int firstLine(const ptx::Function& function)
{
    for (const auto& instruction : function.instructions)
        if (instruction.line)
            return instruction.line;
    return 0;
}

} // namespace

namespace {

std::optional<Rejection> refuse(const ptx::Module& module, std::span<const std::string> kernels)
{
    if (auto refused = refuseDeclarations(module))
        return refused;
    for (const auto& variable : module.variables)
        if (auto reason = refuseVariable(variable))
            return Rejection{0, std::move(*reason)};
    for (const auto& function : module.functions) {
        for (const auto& directive : function.directives)
            if (!contains(functionDirectives, directive))
                return Rejection{firstLine(function), "the PTX directive " + directive + " is not allowed"};
        if (const auto* lost = parameterWithoutCall(function))
            return Rejection{firstLine(function), "the parameter '" + lost->name + "' is of no call"};
        for (const auto& variable : function.variables) {
            if (variable.space == ptx::Space::Const)
                return Rejection{firstLine(function),
                                 "'" + variable.name + "' is constant memory declared inside a function"};
            if (auto reason = refuseVariable(variable))
                return Rejection{firstLine(function), std::move(*reason)};
        }
    }
    if (const auto bytes = ptx::constantBytes(module); bytes > ptx::maxConstantBytes)
        return Rejection{0,
                         "the program's tables (__constant__ and other data that is only read) need " +
                             std::to_string(bytes) + " bytes; constant memory has 65536",
                         true};
    if (auto tables = ptx::constantTables({}, module); tables.refused)
        return Rejection{tables.refused->line, std::move(tables.refused->reason)};
    if (const auto unsupported = ptx::firstUnsupported(module))
        return Rejection{unsupported->line, unsupported->reason};
    for (const auto& function : module.functions)
        for (const auto& instruction : function.instructions)
            if (leavesTraces(instruction))
                return Rejection{instruction.line,
                                 "the instruction '" + instruction.opcode +
                                     "' is not allowed: it keeps data in caches for later calls"};
    for (const auto& kernel : kernels) {
        const auto* function = module.find(kernel);
        if (!function)
            return Rejection{
                0, "the plan launches '" + kernel +
                       "', but the program has no such kernel: write extern \"C\" __global__ void " + kernel +
                       "(...)"};
        if (!function->entry)
            return Rejection{firstLine(*function),
                             "the plan launches '" + kernel + "', which is not __global__"};
    }
    return std::nullopt;
}

/// Names in it can be as long as the program.
Rejection readable(Rejection rejection)
{
    rejection.reason = shortened(std::move(rejection.reason));
    return rejection;
}

} // namespace

std::optional<Rejection> gate(const ptx::Module& module, std::span<const std::string> kernels)
{
    auto refused = refuse(module, kernels);
    if (refused)
        refused = readable(std::move(*refused));
    return refused;
}

tl::expected<AdmittedPtx, Rejection> admit(std::string ptx, std::span<const std::string> kernels)
{
    auto module = ptx::parse(ptx);
    if (!module)
        return tl::unexpected(Rejection{0, module.error().sentence()});
    if (auto refused = refuseDeclarations(*module))
        return tl::unexpected(readable(std::move(*refused)));
    auto tables = ptx::constantTables(ptx, *module);
    if (tables.refused)
        return tl::unexpected(readable(Rejection{tables.refused->line, std::move(tables.refused->reason)}));
    if (tables.changed) {
        ptx = std::move(tables.text);
        module = ptx::parse(ptx);
        if (!module)
            return tl::unexpected(Rejection{0, module.error().sentence()});
    }
    if (auto rejection = gate(*module, kernels))
        return tl::unexpected(std::move(*rejection));
    return AdmittedPtx{std::move(ptx), std::move(*module)};
}

} // namespace sparserl
