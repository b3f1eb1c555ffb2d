// SPDX-License-Identifier: Apache-2.0
// PTX as a compiler's output or as somebody's forgery: parser, canonical hash, constant tables, gate.
#include "compile/code_traits.h"
#include "compile/gate.h"
#include "fuzz.h"
#include "ptx/constant_tables.h"
#include "ptx/module.h"
#include "ptx/tokens.h"

#include <algorithm>
#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkError;
using fuzz::checkReason;

/// The same tokens, each on a line of its own: the text of nothing that counts has changed.
std::string spread(const std::vector<ptx::Token>& tokens)
{
    std::string text;
    for (const ptx::Token& token : tokens) {
        const bool quoted = token.kind == ptx::Token::Kind::String;
        if (token.kind != ptx::Token::Kind::End)
            text += (quoted ? "\"" : "") + std::string(token.text) + (quoted ? "\"\n" : "\n");
    }
    return text;
}

void checkOperand(const ptx::Operand& operand, const ptx::Function& function)
{
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::Register)
        FUZZ_CHECK(operand.index >= 0 && static_cast<std::size_t>(operand.index) < function.registers.size());
    if (operand.kind == Kind::Label)
        FUZZ_CHECK(operand.index >= 0 &&
                   static_cast<std::size_t>(operand.index) <= function.instructions.size());
    FUZZ_CHECK(operand.variable < static_cast<int>(function.variables.size()));
    for (const ptx::Operand& element : operand.elements)
        checkOperand(element, function);
}

void checkModule(const ptx::Module& module, int lines)
{
    for (const ptx::Variable& variable : module.variables) {
        FUZZ_CHECK(variable.bytes >= 0 && variable.alignment > 0 && variable.textBegin <= variable.textEnd);
        FUZZ_CHECK(variable.initial.empty() ||
                   static_cast<std::int64_t>(variable.initial.size()) == variable.bytes);
    }
    for (const ptx::Function& function : module.functions) {
        for (const ptx::Instruction& instruction : function.instructions) {
            FUZZ_CHECK(instruction.guard < static_cast<int>(function.registers.size()));
            FUZZ_CHECK(instruction.ptxLine > 0 && instruction.ptxLine <= lines && instruction.line >= 0);
            for (const ptx::Operand& operand : instruction.operands)
                checkOperand(operand, function);
        }
    }
    FUZZ_CHECK(ptx::constantBytes(module) >= 0);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    const std::string hash = ptx::canonicalHash(text);
    FUZZ_CHECK(hash.size() == 64);
    const auto tokens = ptx::tokenize(text);
    if (!tokens) {
        checkError(tokens.error());
        FUZZ_CHECK(!ptx::parse(text).has_value());
        return 0;
    }
    const auto module = ptx::parse(text);
    if (!module) {
        checkError(module.error());
        FUZZ_CHECK(module.error().line <= lines);
        return 0;
    }
    checkModule(*module, lines);
    FUZZ_CHECK(ptx::canonicalHash(spread(*tokens)) == hash);

    std::vector<std::string> kernels;
    for (const ptx::Function& function : module->functions) {
        if (function.entry)
            kernels.push_back(function.name);
    }
    const auto rejection = gate(*module, kernels);
    if (rejection)
        checkReason(rejection->reason);
    const auto admitted = admit(std::string(text), kernels);
    if (!admitted) {
        checkReason(admitted.error().reason);
        return 0;
    }
    // What is let through is what runs: read again it passes as it stands, and no more is to be moved.
    const auto again = ptx::parse(admitted->text);
    FUZZ_CHECK(again.has_value() && !gate(*again, kernels));
    FUZZ_CHECK(!ptx::constantTables(admitted->text, *again).changed);
    const CodeTraits traits = codeTraits(*again, kernels);
    FUZZ_CHECK(std::is_sorted(traits.shape.begin(), traits.shape.end()));
    return 0;
}
