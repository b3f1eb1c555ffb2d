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
    std::int64_t elements = 1; ///< Number of elements of an array, 0 for "[]"; 1 for other parameters.
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
    std::vector<std::byte> initial; ///< Initial value: empty, or `bytes` bytes.
    /// The initial value contains addresses of symbols; this is not supported.
    bool initialAddresses = false;
    int ptxLine = 0;
    /// Offsets in the PTX text: the first directive of the declaration, the end of its semicolon, and the
    /// word for its space.
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
        Register, ///< A register: `index` into Function::registers.
        Special,  ///< A special register: `special`, or `name` as written if it is not allowed.
        Integer,  ///< An integer in `bits`.
        Float,    ///< `bits` of an f64 (0d, decimal) or of an f32 (0f); see `floatBytes`.
        Symbol,   ///< The address of a variable (`name` + `offset`), or the name of a function.
        Address,  ///< [register + offset] if `index` >= 0, otherwise [symbol + offset] with `name`.
        Vector,   ///< {a, b, ...}; `elements` contains a, b, ...
        Label,    ///< A label: `index` into Function::instructions.
        Sink,     ///< "_"
        List      ///< Call arguments in parentheses, in `elements`.
    };
    Kind kind = Kind::Register;
    int index = -1;
    SpecialRegister special = SpecialRegister::TidX;
    std::uint64_t bits = 0;
    int floatBytes = 0;
    std::string name;
    /// For the Symbol or Address of a variable of this function: index into Function::variables.
    int variable = -1;
    std::int64_t offset = 0;
    bool negated = false;          ///< Written with "!", as in "!%p1".
    std::vector<Operand> elements; ///< Elements of a Vector or List, or the second half of "%r1|%p1".
    bool dual = false;             ///< Written "a|b"; `elements[0]` is b.
};

struct Instruction
{
    std::string opcode;               ///< Opcode with its modifiers, as written.
    const OpcodeForm* form = nullptr; ///< Form in the table, or nullptr if the form is not allowed.
    bool derived = false;      ///< Belongs to the expansion of another instruction, and is not in the text.
    bool keepsInCache = false; ///< Has a cache hint to keep data or to fetch more than requested.
    int guard = -1;            ///< Index of the predicate register ("@%p"), or -1.
    bool guardNegated = false;
    std::vector<Operand> operands;
    int line = 0;             ///< Line in the program text, from .loc; 0 if unknown.
    int ptxLine = 0;          ///< Line in the PTX text, from 1.
    std::size_t opcodeAt = 0; ///< Offset of the opcode's first byte in the PTX text.
};

struct Function
{
    std::string name;
    bool entry = false;
    bool external = false;    ///< `.extern`
    bool declaration = false; ///< Declared without a body.
    std::vector<Param> results;
    std::vector<Param> params;
    std::array<std::int64_t, 3> maxntid{0, 0, 0}; ///< 0: not given
    std::array<std::int64_t, 3> reqntid{0, 0, 0};
    std::int64_t minnctapersm = 0;
    std::int64_t maxnreg = 0;
    std::vector<std::string> directives; ///< All other directives, each once, in order: ".pragma", ...
    /// Variables declared in the body: shared, local, param, and .global for the gate.
    std::vector<Variable> variables;
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
    std::vector<Variable> variables;     ///< Variables at module scope.
    std::vector<Function> functions;     ///< Entries and functions, including those that are only declared.
    std::vector<std::string> directives; ///< All other directives at module scope: ".section", ".alias", ...
    std::vector<std::string> files;      ///< File names by .file number; index 0 is unused.

    /// Returns the function that has this name and a body, or nullptr.
    const Function* find(std::string_view name) const;
};

/// Parses PTX from NVRTC or nvcc. `programFile` is the file whose lines count as program lines; inlined code
/// is assigned to its innermost call site in that file. The text may consist of any bytes.
Result<Module> parse(std::string_view text, std::string_view programFile = "program.cu");

/// Something in a module that the table of opcodes and the simulator do not support.
struct Unsupported
{
    std::string reason; ///< "'ld.global.L2::128B.f32' is not allowed"
    std::string function;
    int line = 0; ///< Program line or 0.
    int ptxLine = 0;
};
/// Returns the first unsupported part of a module: a variable, a function, a form, a special register, an
/// operand, an indirect or recursive call, or an unknown label. Returns nullopt if all are supported.
std::optional<Unsupported> firstUnsupported(const Module& module);

/// Returns the SHA-256 in hex of all tokens except the tokens of .file, .loc and .section .debug_*
/// directives, which are parsed with their own grammar. The hash does not depend on comments and blanks. It
/// is different for any two texts that may run differently.
std::string canonicalHash(std::string_view text);

} // namespace sparserl::ptx
