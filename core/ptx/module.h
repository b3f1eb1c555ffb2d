// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "ptx/opcodes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl::ptx {

/// A parameter of an entry, a function, or a call.
struct Param
{
    std::string name;
    Type type = Type::None;
    std::int64_t elements = 1; ///< Other than 1 (0 for "[]") only if `array`.
    bool array = false;
    std::int64_t alignment = 1;
    std::int64_t bytes = 0;
    int index = -1; ///< Index among the function's own variables, for the simulator.
};

/// A variable at module or function level, or a `.param` declared inside a body for a call.
struct Variable
{
    Space space = Space::Global;
    std::string name;
    Type type = Type::None;
    std::int64_t alignment = 1;
    std::int64_t bytes = 0; ///< 0 for an `extern` array without extent.
    bool external = false;
    std::vector<std::byte> initial; ///< Empty, or `bytes` bytes.
    bool initialAddresses = false;  ///< Initialised with addresses of symbols, which is not supported.
    int ptxLine = 0;
    /// Position in the PTX text, from its first directive to after its semicolon, and position of its space.
    std::size_t textBegin = 0, textEnd = 0, spaceAt = 0;
};

struct Register
{
    std::string name;
    Type type = Type::None;
};

struct Operand
{
    enum class Kind
    {
        Register, ///< `index` into Function::registers
        Special,  ///< `special`; `name` as written if it is not allowed
        Integer,  ///< `bits`
        Float,    ///< `bits` of an f64 (0d, decimal) or an f32 (0f), by `floatBytes`
        Symbol,   ///< The address of a variable or the name of a function: `name` + `offset`
        Address,  ///< [register + offset] or [symbol + offset]: `index` >= 0 or `name`
        Vector,   ///< {a, b, ...} in `elements`
        Label,    ///< `index` into Function::instructions
        Sink,     ///< "_"
        List      ///< Call arguments in parentheses
    };
    Kind kind = Kind::Register;
    int index = -1;
    SpecialRegister special = SpecialRegister::TidX;
    std::uint64_t bits = 0;
    int floatBytes = 0;
    std::string name;
    int variable = -1; ///< Symbol or Address of a variable in this function: index into Function::variables.
    std::int64_t offset = 0;
    bool negated = false;          ///< "!%p1"
    std::vector<Operand> elements; ///< Vector, List, or the second half of "%r1|%p1"
    bool dual = false;             ///< Written "a|b": `elements[0]` is b.
};

struct Instruction
{
    std::string opcode;               ///< Full form as written.
    const OpcodeForm* form = nullptr; ///< From the table, or nullptr if the form is not allowed.
    bool derived = false;             ///< Part of the expansion of an instruction in the text.
    bool keepsInCache = false;        ///< A hint asks to keep data, or to fetch more.
    int guard = -1;                   ///< Register of "@%p", or -1.
    bool guardNegated = false;
    std::vector<Operand> operands;
    int line = 0;             ///< In the program text, from .loc; 0 if unknown.
    int ptxLine = 0;          ///< In the PTX text, from 1.
    std::size_t opcodeAt = 0; ///< Offset of the opcode's first byte in the PTX text.
};

struct Function
{
    std::string name;
    bool entry = false;
    bool external = false;    ///< `.extern`
    bool declaration = false; ///< No body.
    std::vector<Param> results;
    std::vector<Param> params;
    std::array<std::int64_t, 3> maxntid{0, 0, 0}; ///< 0: not given
    std::array<std::int64_t, 3> reqntid{0, 0, 0};
    std::int64_t minnctapersm = 0;
    std::int64_t maxnreg = 0;
    std::vector<std::string>
        directives; ///< Other directives met, in order, without duplicates: ".pragma", ...
    std::vector<Variable>
        variables; ///< Declared in the body: shared, local, param, and .global for the gate.
    std::vector<Register> registers;
    std::vector<Instruction> instructions;
    int ptxLine = 0;
};

/// A parsed PTX text.
struct Module
{
    std::string version; ///< "9.0"
    std::string target;  ///< "sm_80"
    int addressSize = 64;
    std::vector<Variable> variables;     ///< Module scope.
    std::vector<Function> functions;     ///< Entries and functions, with declarations.
    std::vector<std::string> directives; ///< All other directives at module scope: ".section", ".alias", ...
    std::vector<std::string> files;      ///< By .file number; index 0 unused.

    const Function* find(std::string_view name) const; ///< With a body, otherwise nullptr.
};

/// Parses PTX from NVRTC or nvcc. `programFile` is the file whose lines count as program lines; inlined code
/// is assigned to its innermost call site in that file. Accepts any bytes as input.
Result<Module> parse(std::string_view text, std::string_view programFile = "program.cu");

/// The first instruction or operand that the shared table and the simulator do not support: forms, special
/// registers, operand shapes, indirect or recursive calls, unknown labels. Empty if all are supported.
struct Unsupported
{
    std::string reason; ///< "'ld.global.L2::128B.f32' is not allowed"
    std::string function;
    int line = 0; ///< Program line or 0.
    int ptxLine = 0;
};
std::optional<Unsupported> firstUnsupported(const Module& module);

/// SHA-256 in hex over all tokens except those of .file, .loc and .section .debug_* directives, which are
/// parsed with their own grammar. Different for any two texts that may run differently. Independent of
/// comments and blanks.
std::string canonicalHash(std::string_view text);

} // namespace sparserl::ptx
