// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/program_text.h"
#include "matrix/formats.h"
#include "target/factors.h"
#include "target/task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl {

/// An integer expression of a plan (docs/formats.md 1, expr). It is immutable, and copies of a plan share it.
struct PlanExpr
{
    enum class Op
    {
        Literal,
        Name,
        Member,
        Add,
        Sub,
        Mul,
        Div,
        Mod,
        Neg,
        Min,
        Max,
        CeilDiv,
        Pow2Ceil
    };
    Op op = Op::Literal;
    std::int64_t value = 0; ///< For Literal.
    std::string name;       ///< For Name: a scalar or a const; for Member: a format, a part or a tensor.
    std::string member;     ///< For Member: the count; of an operator's tensor: "numel" or "dim(0)".
    std::vector<std::shared_ptr<const PlanExpr>> operands;
    ~PlanExpr(); ///< Does not recurse, because an expression may be a chain of thousands of operators.
};
using PlanExprPtr = std::shared_ptr<const PlanExpr>;

struct PlanConst
{
    std::string name;
    PlanExprPtr value;
    int line = 0;
};

struct PlanPart
{
    std::string name;
    std::int64_t low = 0;
    std::optional<std::int64_t> high; ///< Its rows have lengths in [low, high); nullopt: no limit.
    int line = 0;
};

struct PlanFormat
{
    std::string name; ///< The name; by default the kind of the format.
    FormatSpec spec;
    std::string part; ///< The part that is stored; empty: the whole matrix.
    int line = 0;
};

/// A condition that a target must satisfy. For other targets, the verdict of the program is `plan-error`.
struct PlanRequirement
{
    enum class Comparison
    {
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual
    };
    PlanExprPtr left;
    Comparison comparison = Comparison::Equal;
    PlanExprPtr right;
    std::string text; ///< The text in the plan, for messages.
    int line = 0;
};

struct PlanBuffer
{
    std::string name;
    ElementType type = ElementType::F32;
    PlanExprPtr count;
    bool prepared = false; ///< True for a prepared buffer, false for a scratch buffer.
    bool zero = false;
    int line = 0;
};

/// An argument of a call: the name of an array ("x", "sell.col", "fc.weight"), an integer expression, alpha
/// or beta, or a real literal ("1e-5f").
struct PlanArgument
{
    std::string array;            ///< The full name of an array.
    PlanExprPtr value;            ///< An integer expression.
    float real = 0;               ///< A finite real literal, if no other member is set.
    std::optional<Factor> factor; ///< Alpha or beta; nullopt for other arguments.
};

struct PlanCall
{
    bool prepare = false;
    std::string kernel;
    std::vector<PlanExprPtr> grid;  ///< One to three extents.
    std::vector<PlanExprPtr> block; ///< One to three extents.
    PlanExprPtr sharedBytes;        ///< May be null.
    std::vector<PlanArgument> arguments;
    int line = 0;
};

/// The parsed plan lines of a kernel program, version 1 (docs/formats.md 1). The names of an operator's
/// tensors are resolved when the plan is bound to a target.
struct Plan
{
    Task task = Task::SpMV;
    ElementType type = ElementType::F32; ///< The type of values, inputs and outputs.
    std::vector<PlanConst> consts;
    std::vector<PlanPart> parts;
    std::vector<PlanFormat> formats;
    std::vector<PlanBuffer> buffers;
    std::vector<std::string> zeroed; ///< Outputs that are zeroed before every call.
    std::vector<PlanCall> calls;
    std::vector<PlanRequirement> requirements;
};

/// A violation of the plan grammar, which gives the verdict `plan-error`.
struct PlanError
{
    int line = 0; ///< The line in the program text, from 1.
    std::string reason;
};

/// A kernel program: its text, its plan and the device code. The code has a line for every line of the text,
/// so the compiler's line numbers match the text. Plan lines become blank lines, but a const line becomes
/// "#define NAME value". (-D options would also affect the compiler's built-in header, which names such as T
/// break.)
struct KernelProgram
{
    ProgramText text;
    Plan plan;
    std::string code;
};

/// Parses and checks a program against the whole grammar. Accepts any bytes. Never throws.
tl::expected<KernelProgram, PlanError> parseProgram(ProgramText text);

/// Returns the factors that a plan's launches take.
FactorUse factorsOf(const Plan& plan);

/// Returns the names and values of a plan's consts.
std::vector<std::pair<std::string, std::int64_t>> constValues(const Plan& plan);

} // namespace sparserl
