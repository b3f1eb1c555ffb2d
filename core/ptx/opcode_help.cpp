// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcode_help.h"

#include "ptx/op.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl::ptx {

namespace {

constexpr Op helped[] = {
#define HELP(op, operands, sentence) Op::op,
#include "ptx/opcode_help.def"
#undef HELP
};
constexpr OperationHelp helps[] = {
#define HELP(op, operands, sentence) {operands, sentence},
#include "ptx/opcode_help.def"
#undef HELP
};
constexpr Op all[] = {
#define OPCODE(op, action, pipe, address) Op::op,
#define FORMS(op, pattern, operands, implementation)
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
};
static_assert(std::ranges::equal(helped, all), "opcode_help.def has a row for each of opcodes.def, in order");

/// What modifiers say wherever nothing else does.
constexpr ModifierHelp modifiers[] = {
    // types
    {"pred", "a predicate"},
    {"b8", "8 bits"},
    {"b16", "16 bits"},
    {"b32", "32 bits"},
    {"b64", "64 bits"},
    {"u8", "8-bit whole number without sign"},
    {"u16", "16-bit whole number without sign"},
    {"u32", "32-bit whole number without sign"},
    {"u64", "64-bit whole number without sign"},
    {"s8", "8-bit whole number with sign"},
    {"s16", "16-bit whole number with sign"},
    {"s32", "32-bit whole number with sign"},
    {"s64", "64-bit whole number with sign"},
    {"f16", "16-bit float"},
    {"f16x2", "two 16-bit floats in one register"},
    {"bf16", "16-bit float with the exponent of a 32-bit one"},
    {"bf16x2", "two such 16-bit floats in one register"},
    {"tf32", "float of 19 bits for tensor cores"},
    {"f32", "32-bit float"},
    {"f64", "64-bit float"},
    {"v2", "two values at once"},
    {"v4", "four values at once"},
    // arithmetic
    {"lo", "the lower half of the product"},
    {"hi", "the upper half of the product"},
    {"wide", "the whole product"},
    {"cc", "the carry is kept"},
    {"ftz", "numbers too small for the normal form count as 0"},
    {"sat", "what does not fit becomes the nearest value that does"},
    {"relu", "what is below 0 becomes 0"},
    {"noftz", "numbers too small for the normal form count as they are"},
    {"rn", "rounded to the nearest, ties to even"},
    {"rz", "rounded towards 0"},
    {"rm", "rounded down"},
    {"rp", "rounded up"},
    {"rna", "rounded to the nearest, ties away from 0"},
    {"rni", "to the nearest whole number, ties to even"},
    {"rzi", "to a whole number towards 0"},
    {"rmi", "to a whole number downwards"},
    {"rpi", "to a whole number upwards"},
    {"approx", "approximate"},
    {"full", "approximate over the full range"},
    {"NaN", "NaN where either is NaN"},
    {"l", "to the left"},
    {"r", "to the right"},
    {"wrap", "the distance counts modulo 32"},
    {"clamp", "a distance above 32 counts as 32"},
    {"shiftamt", "the distance to the top rather than the position"},
    // comparisons
    {"eq", "a = b"},
    {"ne", "a and b differ"},
    {"lt", "a < b"},
    {"le", "a <= b"},
    {"gt", "a > b"},
    {"ge", "a >= b"},
    {"ls", "a <= b without signs"},
    {"hs", "a >= b without signs"},
    {"equ", "a = b, or one is NaN"},
    {"neu", "a and b differ, or one is NaN"},
    {"ltu", "a < b, or one is NaN"},
    {"leu", "a <= b, or one is NaN"},
    {"gtu", "a > b, or one is NaN"},
    {"geu", "a >= b, or one is NaN"},
    {"num", "neither is NaN"},
    {"nan", "one is NaN"},
    {"finite", "neither infinite nor NaN"},
    {"infinite", "infinite"},
    {"number", "not NaN"},
    {"notanumber", "NaN"},
    {"normal", "of normal form"},
    {"subnormal", "too small for the normal form"},
    // memory
    {"global", "global memory"},
    {"shared", "shared memory of the block"},
    {"local", "local memory of the thread"},
    {"const", "constant memory"},
    {"param", "parameters of the kernel or the function"},
    {"to", "from generic to this memory"},
    {"nc", "read-only data, through L1 without coherence"},
    {"ca", "kept in L1 and L2"},
    {"cg", "kept in L2 only"},
    {"cs", "used once: the first to leave the caches"},
    {"lu", "used for the last time"},
    {"cv", "never from a cache"},
    {"wb", "written back when it leaves the caches"},
    {"wt", "written through the caches"},
    {"volatile", "never left out, never moved"},
    {"weak", "a plain access"},
    {"relaxed", "in one piece, without order to other accesses"},
    {"acquire", "accesses after it stay after it"},
    {"release", "accesses before it stay before it"},
    {"acq_rel", "accesses stay on their side of it"},
    {"sc", "one order that all threads agree on"},
    {"cta", "among the threads of the block"},
    {"gl", "among the threads of the GPU"},
    {"gpu", "among the threads of the GPU"},
    {"sys", "among the threads of the GPU and the host"},
    {"L1", "into L1"},
    {"L2", "into L2"},
    {"L1::evict_normal", "L1 treats it as any data"},
    {"L1::evict_unchanged", "its place in the order of leaving L1 stays"},
    {"L1::evict_first", "the first to leave L1"},
    {"L1::evict_last", "the last to leave L1"},
    {"L1::no_allocate", "L1 does not keep it"},
    {"L2::64B", "L2 fetches 64 bytes"},
    {"L2::128B", "L2 fetches 128 bytes"},
    {"L2::256B", "L2 fetches 256 bytes"},
    {"shared::cta", "shared memory of the block"},
    // how values are combined
    {"add", "the sum"},
    {"min", "the smaller one"},
    {"max", "the larger one"},
    {"and", "the bits of both"},
    {"or", "the bits of either"},
    {"xor", "the bits of one of them"},
    {"inc", "one more, and 0 after b"},
    {"dec", "one less, and b after 0"},
    {"exch", "b takes its place"},
    {"cas", "c takes its place where it is b"},
    {"popc", "how many"},
    // between lanes and warps
    {"sync", "all lanes or threads named wait for one another"},
    {"aligned", "all lanes of the warp are here"},
    {"up", "from the lane b below"},
    {"down", "from the lane b above"},
    {"bfly", "from the lane whose number differs in the bits of b"},
    {"idx", "from lane b"},
    {"any", "one is enough"},
    {"all", "all of them"},
    {"uni", "all the same"},
    {"ballot", "a bit for each lane"},
    {"warp", "the lanes of one warp"},
    {"arrive", "counts without waiting"},
    {"red", "with a result over all threads"},
    {"async", "while the program continues"},
    {"commit_group", "ends a group of copies"},
    {"wait_group", "waits for groups of copies"},
    {"wait_all", "waits for all copies"},
    {"trans", "each matrix transposed"},
    {"row", "A row by row"},
    {"col", "B column by column"},
    {"x1", "one matrix"},
    {"x2", "two matrices"},
    {"x4", "four matrices"},
};
/// What the same words say in comparisons.
constexpr ModifierHelp comparing[] = {
    {"lo", "a < b without signs"}, {"hi", "a > b without signs"}, {"and", "and c"}, {"or", "or c"},
    {"xor", "or c, not both"},
};

/// "m16n8k4"
std::string shapeHelp(std::string_view name)
{
    const auto n = name.find('n'), k = name.find('k');
    if (!name.starts_with('m') || n == std::string_view::npos ||
        name.find_first_not_of("mnk0123456789") != std::string_view::npos)
        return {};
    if (k == std::string_view::npos)
        return fmt::format("matrices of {} x {}", name.substr(1, n - 1), name.substr(n + 1));
    return fmt::format("A is {0} x {2}, B {2} x {1}", name.substr(1, n - 1), name.substr(n + 1, k - n - 1),
                       name.substr(k + 1));
}

/// Clocks are those of the cost model; of memory it depends on the caches.
std::string costOf(const OpcodeForm& form)
{
    switch (form.pipe) {
    case Pipe::Memory:
        if (form.space == Space::Param || form.space == Space::Const)
            return "Constant cache: a few clocks if it has the value";
        return form.action == Action::Atomic
                   ? "Memory pipe, carried out in L2: hundreds of clocks"
                   : "Memory pipe: tens of clocks from L1, hundreds from L2 and DRAM";
    case Pipe::Shared:
        return "Shared memory: tens of clocks, more if lanes conflict in a bank";
    case Pipe::Shuffle:
        return "Between lanes: tens of clocks";
    case Pipe::Control:
        return {};
    case Pipe::Special:
        if (form.action == Action::MultiplyMatrix)
            return "Tensor cores: tens of clocks";
        if (form.op == Op::Div || form.op == Op::Rem || form.op == Op::Rcp || form.op == Op::Sqrt)
            return {}; // many instructions: their sentences say so
        break;
    default:
        break;
    }
    static constexpr std::string_view names[] = {"Integer pipe", "FP32 pipe", "FP64 pipe",
                                                 "Special functions"};
    return fmt::format("{}: about {} clocks", names[static_cast<std::size_t>(form.pipe)],
                       latencyOf(form.pipe));
}

} // namespace

const OperationHelp& helpOf(Op op)
{
    return helps[static_cast<std::size_t>(op)];
}

std::string modifierHelp(std::string_view modifier, Action action)
{
    if (action == Action::Compare)
        if (const std::string_view help = helpAmong(comparing, modifier); !help.empty())
            return std::string(help);
    if (const std::string_view help = helpAmong(modifiers, modifier); !help.empty())
        return std::string(help);
    return shapeHelp(modifier);
}

std::string_view opcodeOf(std::string_view line)
{
    constexpr std::string_view blanks = " \t{";
    const auto skip = [&line](std::string_view what) {
        line.remove_prefix(std::min(line.find_first_not_of(what), line.size()));
    };
    skip(blanks);
    if (line.starts_with('@')) {
        line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
        skip(blanks);
    }
    return line.substr(0, line.find_first_of(" \t;"));
}

InstructionHelp explain(const OpcodeForm& form, std::string_view spelling)
{
    const OperationHelp& help = helpOf(form.op);
    InstructionHelp result;
    result.operands = help.operands;
    result.sentence = help.sentence;
    result.cost = costOf(form);
    std::string before; // the types of A and B, such as f16.f16, are told once
    for (const std::string_view modifier : modifiersOf(spelling)) {
        const std::string dotted = fmt::format(".{}.", modifier);
        if (before.find(dotted) == std::string::npos)
            tellModifier(result, modifier, modifierHelp(modifier, form.action));
        before += dotted;
    }
    return result;
}

} // namespace sparserl::ptx
