// SPDX-License-Identifier: Apache-2.0
#include "compile/code_traits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

namespace sparserl {

namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

/// A register that more instructions write is followed to the first of them only: the work stays linear.
constexpr std::size_t maxWriters = 3;
constexpr std::size_t maxSources = 16; ///< Of one instruction.
constexpr int maxCopies = 2;           ///< In a row; they may go in circles, around loops.

/// Functions with a body that the kernels reach, each once.
std::vector<const Function*> reached(const ptx::Module& module, const std::vector<std::string>& kernels)
{
    std::vector<const Function*> found;
    std::unordered_set<std::string_view> names;
    const auto add = [&](const std::string& name) {
        if (!names.insert(name).second)
            return;
        if (const Function* function = module.find(name))
            found.push_back(function);
    };
    for (const auto& kernel : kernels)
        add(kernel);
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const Instruction& instruction : found[i]->instructions)
            if (instruction.form && instruction.form->action == ptx::Action::Call)
                for (const Operand& operand : instruction.operands)
                    if (operand.kind == Operand::Kind::Symbol)
                        add(operand.name);
    return found;
}

/// Atomics of other types flush nothing, and those on shared memory keep subnormal numbers.
bool flushes(std::string_view opcode)
{
    return opcode.ends_with(".f32") && opcode.find(".shared") == std::string_view::npos;
}

std::uint32_t mix(std::uint32_t hash, std::uint32_t value)
{
    std::uint64_t wide = (std::uint64_t(hash) << 32 | value) * 0x9e3779b97f4a7c15ull;
    wide ^= wide >> 29;
    return static_cast<std::uint32_t>((wide * 0xbf58476d1ce4e5b9ull) >> 32);
}

std::uint32_t hashOf(std::string_view text)
{
    std::uint32_t hash = 0x811c9dc5u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
    return hash;
}

/// Of what an instruction does. By which path a value is loaded makes no other program.
std::uint32_t hashOf(const Instruction& instruction)
{
    constexpr std::array<std::string_view, 12> paths{"nc",   "ca",       "cg",      "cs",  "lu",  "cv",
                                                     "weak", "volatile", "relaxed", "cta", "gpu", "sys"};
    const std::string_view opcode = instruction.opcode;
    if (!opcode.starts_with("ld."))
        return hashOf(opcode);
    std::uint32_t hash = 0;
    for (std::size_t from = 0; from < opcode.size();) {
        const std::size_t end = std::min(opcode.find('.', from), opcode.size());
        const std::string_view word = opcode.substr(from, end - from);
        if (std::find(paths.begin(), paths.end(), word) == paths.end() && !word.starts_with('L'))
            hash = mix(hash, hashOf(word));
        from = end + 1;
    }
    return hash;
}

/// Leaves the lowest hashes of a set: whatever stands first in a program, what is kept is a fair sample of
/// it.
void keepLowest(std::unordered_set<std::uint32_t>& hashes)
{
    if (hashes.size() <= CodeTraits::mostChains)
        return;
    std::vector<std::uint32_t> all(hashes.begin(), hashes.end());
    std::nth_element(all.begin(), all.begin() + CodeTraits::mostChains - 1, all.end());
    hashes.clear();
    hashes.insert(all.begin(), all.begin() + CodeTraits::mostChains);
}

/// Follows registers of one function to the instructions that write them.
class Flow
{
public:
    explicit Flow(const Function& function)
        : m_function(function)
        , m_writers(function.registers.size())
    {
        for (const Instruction& instruction : function.instructions)
            if (!instruction.operands.empty()) {
                const Operand& first = instruction.operands[0];
                note(instruction, first);
                for (const Operand& element : first.elements)
                    note(instruction, element);
            }
    }

    void chains(std::unordered_set<std::uint32_t>& out) const
    {
        for (const Instruction& instruction : m_function.instructions) {
            if (out.size() > 2 * CodeTraits::mostChains)
                keepLowest(out);
            if (copies(instruction))
                continue;
            const std::uint32_t one = hashOf(instruction);
            for (const Source& second : sources(instruction)) {
                out.insert(mix(one, second.hash));
                if (!second.writer)
                    continue;
                for (const Source& third : sources(*second.writer))
                    out.insert(mix(mix(one, second.hash), third.hash));
            }
        }
    }

private:
    struct Source
    {
        std::uint32_t hash = 0;
        const Instruction* writer = nullptr; ///< Where it is one.
    };

    static bool copies(const Instruction& instruction)
    {
        if (!instruction.form)
            return false;
        const ptx::Action action = instruction.form->action;
        return (action == ptx::Action::Move || action == ptx::Action::ToGeneric ||
                action == ptx::Action::FromGeneric) &&
               instruction.operands.size() == 2 && instruction.operands[0].elements.empty() &&
               instruction.operands[1].kind == Operand::Kind::Register;
    }

    void note(const Instruction& instruction, const Operand& operand)
    {
        if (operand.kind != Operand::Kind::Register || operand.index < 0)
            return;
        auto& writers = m_writers[static_cast<std::size_t>(operand.index)];
        if (writers.size() < maxWriters)
            writers.push_back(&instruction);
    }

    /// What an instruction's operands come from, in no order that means anything.
    std::vector<Source> sources(const Instruction& instruction) const
    {
        std::vector<Source> found;
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
            const Operand& operand = instruction.operands[i];
            // The first is written, unless it is an address to store to.
            if (i > 0 || operand.kind == Operand::Kind::Address)
                add(found, operand, 0);
        }
        if (instruction.guard >= 0)
            addWriters(found, instruction.guard, 0);
        return found;
    }

    void add(std::vector<Source>& found, const Operand& operand, int hops) const
    {
        switch (operand.kind) {
        case Operand::Kind::Register:
            addWriters(found, operand.index, hops);
            break;
        case Operand::Kind::Address:
            if (operand.index >= 0)
                addWriters(found, operand.index, hops);
            break;
        case Operand::Kind::Special:
            found.push_back({hashOf("special") + static_cast<std::uint32_t>(operand.special), nullptr});
            break;
        case Operand::Kind::Vector:
        case Operand::Kind::List:
            for (const Operand& element : operand.elements)
                add(found, element, hops);
            break;
        default: // Numbers, names and labels say nothing.
            break;
        }
    }

    void addWriters(std::vector<Source>& found, int index, int hops) const
    {
        for (const Instruction* writer : m_writers[static_cast<std::size_t>(index)]) {
            if (found.size() >= maxSources)
                return;
            if (!copies(*writer))
                found.push_back({hashOf(*writer), writer});
            else if (hops < maxCopies)
                addWriters(found, writer->operands[1].index, hops + 1);
        }
    }

    const Function& m_function;
    std::vector<std::vector<const Instruction*>> m_writers; ///< By register.
};

} // namespace

CodeTraits codeTraits(const ptx::Module& module, const std::vector<std::string>& kernels)
{
    CodeTraits traits;
    std::unordered_set<std::uint32_t> chains;
    for (const Function* function : reached(module, kernels)) {
        for (const Instruction& instruction : function->instructions) {
            if (!instruction.form || instruction.form->action != ptx::Action::Atomic)
                continue;
            traits.atomics = true;
            traits.flushes = traits.flushes || flushes(instruction.opcode);
        }
        Flow(*function).chains(chains);
    }
    keepLowest(chains);
    traits.shape.assign(chains.begin(), chains.end());
    std::sort(traits.shape.begin(), traits.shape.end());
    return traits;
}

} // namespace sparserl
