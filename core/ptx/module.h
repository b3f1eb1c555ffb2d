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

/// A parameter of an entry, of a function, or of a call.
struct Param
{
    std::string name;
    Type type = Type::None;
    std::int64_t elements = 1; ///< More than 1, or 0 for "[]", only where `array`.
    bool array = false;
    std::int64_t alignment = 1;
    std::int64_t bytes = 0;
    int index = -1; ///< Of a function's own variables; used by the simulator.
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
    bool initialAddresses = false;  ///< Initialised with addresses of symbols, which nothing here supports.
    int ptxLine = 0;
    /// Where it stands in the PTX text: from its first directive to behind its semicolon, and its space.
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
        Special,  ///< `special`; `name` as written where it is not allowed
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
    int variable = -1; ///< Symbol or Address of a variable of this function: index into Function::variables.
    std::int64_t offset = 0;
    bool negated = false;          ///< "!%p1"
    std::vector<Operand> elements; ///< Vector, List, or the second half of "%r1|%p1"
    bool dual = false;             ///< Written "a|b": `elements[0]` is b.
};

struct Instruction
{
    std::string opcode;               ///< Full form as written.
    const OpcodeForm* form = nullptr; ///< Of the table, or nullptr where the form is not allowed.
    bool derived = false;             ///< Part of what an instruction of the text stands for.
    bool keepsInCache = false;        ///< A hint says to keep data, or to bring more of it.
    int guard = -1;                   ///< Register of "@%p", or -1.
    bool guardNegated = false;
    std::vector<Operand> operands;
    int line = 0;             ///< Of the program text, from .loc; 0 where unknown.
    int ptxLine = 0;          ///< Of the PTX text, from 1.
    std::size_t opcodeAt = 0; ///< Of the opcode's first byte in the PTX text.
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
    std::vector<std::string> directives; ///< Every other directive at module scope: ".section", ".alias", ...
    std::vector<std::string> files;      ///< By .file number; index 0 unused.

    const Function* find(std::string_view name) const; ///< With a body, else nullptr.
};

/// Parses the PTX of NVRTC or nvcc. `programFile` is the name whose lines count as program lines; a line
/// inlined from elsewhere is charged to its innermost call site in that file. Any bytes are allowed as input.
Result<Module> parse(std::string_view text, std::string_view programFile = "program.cu");

/// The first instruction or operand that the shared table and the simulator do not support: forms, special
/// registers, operand shapes, indirect or recursive calls, unknown labels. Empty: everything is supported.
struct Unsupported
{
    std::string reason; ///< "'ld.global.L2::128B.f32' is not allowed"
    std::string function;
    int line = 0; ///< Program line or 0.
    int ptxLine = 0;
};
std::optional<Unsupported> firstUnsupported(const Module& module);

/// SHA-256 in hex of every token but those of .file, .loc and .section .debug_* directives, read by their own
/// grammar: different for any two texts that may run differently. Comments and blanks make no difference.
std::string canonicalHash(std::string_view text);

} // namespace sparserl::ptx
