// SPDX-License-Identifier: Apache-2.0
#include "compile/sass_help.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr ModifierHelp modifiers[] = {
    // sizes and types
    {"32", "32 bits"},
    {"64", "64 bits, a pair of registers"},
    {"128", "128 bits, four registers"},
    {"U8", "8 bits without sign"},
    {"S8", "8 bits with sign"},
    {"U16", "16 bits without sign"},
    {"S16", "16 bits with sign"},
    {"U32", "32 bits without sign"},
    {"S32", "32 bits with sign"},
    {"U64", "64 bits without sign"},
    {"S64", "64 bits with sign"},
    {"F16", "16-bit float"},
    {"F32", "32-bit float"},
    {"F64", "64-bit float"},
    {"BF16", "16-bit float with the exponent of a 32-bit one"},
    {"BF16_V2", "two 16-bit floats with the exponent of 32-bit ones"},
    {"TF32", "floats of 19 bits"},
    {"PACK_AB", "a in the upper half, b in the lower one"},
    {"MMA", "on the pipe of tensor cores"},
    {"MERGE_C", "the other half from c"},
    // arithmetic
    {"FTZ", "numbers too small for the normal form count as 0"},
    {"SAT", "held between 0 and 1"},
    {"RN", "rounded to the nearest"},
    {"RZ", "rounded towards 0"},
    {"RM", "rounded down"},
    {"RP", "rounded up"},
    {"TRUNC", "to a whole number towards 0"},
    {"FLOOR", "to a whole number downwards"},
    {"CEIL", "to a whole number upwards"},
    {"NTZ", "too small numbers stay as they are"},
    {"WIDE", "the whole product, in a pair of registers"},
    {"HI", "the upper half"},
    {"LO", "the lower half"},
    {"X", "with the carry of the word before"},
    {"MOV", "moves c: the product is 0"},
    {"SHL", "shifts a: b is a power of two"},
    {"IADD", "adds: b is 1"},
    {"SX32", "the sign of a is carried on to 64 bits"},
    {"LUT", "by a truth table"},
    {"L", "to the left"},
    {"R", "to the right"},
    {"W", "the distance counts modulo 32"},
    {"C", "the distance is held at 32"},
    {"SH", "the distance to the top rather than the position"},
    {"RELU", "negative results become 0"},
    {"NAN", "NaN where either is NaN"},
    {"RCP", "1 / a, approximate"},
    {"RCP64H", "the upper word of 1 / a, of a 64-bit float"},
    {"RSQ", "1 / the square root of a, approximate"},
    {"RSQ64H", "the upper word of 1 / the square root of a, of a 64-bit float"},
    {"SQRT", "the square root of a, approximate"},
    {"EX2", "2 to the power of a"},
    {"LG2", "the logarithm to base 2"},
    {"SIN", "the sine"},
    {"COS", "the cosine"},
    {"TANH", "the hyperbolic tangent"},
    {"1688", "A is 16 x 8, B 8 x 8"},
    {"16816", "A is 16 x 16, B 16 x 8"},
    {"1684", "A is 16 x 4, B 4 x 8"},
    {"884", "A is 8 x 4, B 4 x 8"},
    // comparisons
    {"EQ", "a = b"},
    {"NE", "a and b differ"},
    {"LT", "a < b"},
    {"LE", "a <= b"},
    {"GT", "a > b"},
    {"GE", "a >= b"},
    {"EQU", "a = b, or one is NaN"},
    {"NEU", "a and b differ, or one is NaN"},
    {"LTU", "a < b, or one is NaN"},
    {"LEU", "a <= b, or one is NaN"},
    {"GTU", "a > b, or one is NaN"},
    {"GEU", "a >= b, or one is NaN"},
    {"NUM", "neither is NaN"},
    {"EX", "with the result of the lower words"},
    {"BF", "1.0 rather than all ones"},
    {"AND", "and the other predicate"},
    {"OR", "or the other predicate"},
    {"XOR", "or the other predicate, not both"},
    // memory
    {"E", "the address has 64 bits"},
    {"CONSTANT", "read-only data, through L1 without coherence"},
    {"STRONG", "ordered with accesses of other threads"},
    {"WEAK", "without order to other accesses"},
    {"CTA", "among the threads of the block"},
    {"SM", "among the threads of the SM"},
    {"GPU", "among the threads of the GPU"},
    {"SYS", "among the threads of the GPU and the host"},
    {"SC", "one order that all threads agree on"},
    {"VC", "for accesses of this kind"},
    {"EF", "the first to leave the caches"},
    {"EL", "the last to leave the caches"},
    {"EU", "its place in the order of leaving the caches stays"},
    {"LU", "used for the last time"},
    {"NA", "L1 does not keep it"},
    {"LTC64B", "L2 fetches 64 bytes"},
    {"LTC128B", "L2 fetches 128 bytes"},
    {"LTC256B", "L2 fetches 256 bytes"},
    {"BYPASS", "past L1"},
    {"ZFILL", "the rest is filled with zeros"},
    {"IVALL", "all lines are dropped"},
    {"PF2", "into L2"},
    {"PF1", "into L1"},
    {"CAS", "c takes its place where it is b"},
    {"CAST", "c takes its place where it is b"},
    {"EXCH", "b takes its place"},
    {"ADD", "the sum"},
    {"MIN", "the smaller one"},
    {"MAX", "the larger one"},
    {"INC", "one more, and 0 after b"},
    {"DEC", "one less, and b after 0"},
    {"SUM", "the sum"},
    {"POPC", "how many"},
    {"16", "of 16-bit numbers"},
    {"M88", "8 x 8 matrices"},
    {"MT88", "8 x 8 matrices, transposed"},
    {"2", "two of them"},
    {"4", "four of them"},
    // between lanes and warps
    {"IDX", "from lane b"},
    {"UP", "from the lane b below"},
    {"DOWN", "from the lane b above"},
    {"BFLY", "from the lane whose number differs in the bits of b"},
    {"ANY", "one is enough; d has a bit for each lane"},
    {"ALL", "all of them"},
    {"SYNC", "waits"},
    {"ARV", "counts without waiting"},
    {"RED", "with a result over all threads"},
    {"DEFER_BLOCKING", "other warps go on until all are there"},
    {"EXCLUSIVE", "for lanes that go the same way"},
    {"COLLECTIVE", "with the lanes that a register names"},
    {"RELIABLE", "also for lanes that left on the way"},
    {"RECONVERGENT", "the lanes meet again"},
    {"CLEAR", "and sets it back"},
    {"PQUAD", "by groups of four lanes"},
    {"DIV", "for lanes that went apart"},
    {"CONV", "for lanes that are together"},
    {"U", "by a predicate that the whole warp shares"},
    {"REL", "counted from here"},
    {"ABS", "an address of its own"},
    {"NODEC", "without leaving a level of calls"},
    {"NOINC", "without entering a level of calls"},
    {"TRAP", "an error that ends the kernel"},
    {"NOSLEEP", "without resting"},
};
/// What the same words say of atomic operations.
constexpr ModifierHelp combining[] = {
    {"AND", "the bits of both"}, {"OR", "the bits of either"}, {"XOR", "the bits of one of them"}};

constexpr std::string_view unitName(SassUnit unit)
{
    switch (unit) {
    case SassUnit::FMA:
        return "FMA pipe";
    case SassUnit::ALU:
        return "ALU pipe";
    case SassUnit::FP64:
        return "FP64 pipe";
    case SassUnit::XU:
        return "XU pipe (special functions and conversions)";
    case SassUnit::Tensor:
        return "Tensor cores";
    case SassUnit::Uniform:
        return "Uniform pipe, once for the whole warp";
    case SassUnit::LSU:
        return "LSU pipe (loads and stores)";
    case SassUnit::ADU:
        return "ADU pipe (barriers)";
    case SassUnit::CBU:
        return "CBU pipe (branches)";
    case SassUnit::Unknown:
        break;
    }
    return {};
}

constexpr std::string_view latencyText(SassLatency latency)
{
    switch (latency) {
    case SassLatency::Fixed:
        return "a few clocks, covered by the stall count";
    case SassLatency::Tens:
        return "tens of clocks, waited for by a barrier";
    case SassLatency::Hundreds:
        return "up to hundreds of clocks, waited for by a barrier";
    case SassLatency::Unknown:
        break;
    }
    return {};
}

std::string sentenceCase(std::string_view text)
{
    std::string result(text);
    if (!result.empty() && result[0] >= 'a' && result[0] <= 'z')
        result[0] = static_cast<char>(result[0] - 'a' + 'A');
    return result;
}

} // namespace

const std::vector<SassOpcode>& sassOpcodes()
{
    static const std::vector<SassOpcode> table = {
#define SASS(name, operands, unit, latency, sentence)                                                        \
    {#name, operands, SassUnit::unit, SassLatency::latency, sentence},
#include "compile/sass_opcodes.def"
#undef SASS
    };
    return table;
}

const SassOpcode* findSassOpcode(std::string_view name)
{
    name = name.substr(0, name.find('.'));
    const auto& table = sassOpcodes();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const SassOpcode& one) { return one.name == name; });
    return found != table.end() ? &*found : nullptr;
}

std::string_view sassModifierHelp(std::string_view modifier, const SassOpcode& opcode)
{
    if (opcode.name.starts_with("ATOM") || opcode.name.starts_with("RED") || opcode.name == "CREDUX")
        if (const std::string_view help = helpAmong(combining, modifier); !help.empty())
            return help;
    return helpAmong(modifiers, modifier);
}

std::optional<InstructionHelp> explainSass(std::string_view name)
{
    const SassOpcode* opcode = findSassOpcode(name);
    if (!opcode)
        return std::nullopt;
    InstructionHelp help;
    help.operands = opcode->operands;
    help.sentence = opcode->sentence;
    for (const std::string_view modifier : modifiersOf(name))
        tellModifier(help, modifier, sassModifierHelp(modifier, *opcode));
    const std::string_view unit = unitName(opcode->unit), latency = latencyText(opcode->latency);
    help.cost = unit.empty()      ? sentenceCase(latency)
                : latency.empty() ? std::string(unit)
                                  : fmt::format("{}: {}", unit, latency);
    return help;
}

} // namespace sparserl
