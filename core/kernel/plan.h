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

/// An integer expression of a plan (docs/formats.md 1, expr). Immutable; shared between copies of a
/// plan.
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
    std::int64_t value = 0; ///< Literal
    std::string name;       ///< Name: scalar or const; Member: format or part
    std::string member;     ///< Member: count
    std::vector<std::shared_ptr<const PlanExpr>> operands;
    ~PlanExpr(); ///< Not recursive, because an expression may be a chain of thousands of operators.
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
    std::optional<std::int64_t> high; ///< Rows with length in [low, high); nullopt: infinity.
    int line = 0;
};

struct PlanFormat
{
    std::string name; ///< Defaults to the kind.
    FormatSpec spec;
    std::string part; ///< Empty: the whole matrix.
    int line = 0;
};

/// A condition that a target must satisfy; otherwise the program is a `plan-error` there.
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
    std::string text; ///< As written, for messages.
    int line = 0;
};

struct PlanBuffer
{
    std::string name;
    ElementType type = ElementType::F32;
    PlanExprPtr count;
    bool prepared = false; ///< Otherwise scratch.
    bool zero = false;
    int line = 0;
};

/// An argument of a call: an array by name ("x", "sell.col"), an integer expression, alpha or beta, or a real
/// literal ("1e-5f").
struct PlanArgument
{
    std::string array;            ///< Full name of an array.
    PlanExprPtr value;            ///< An integer expression.
    float real = 0;               ///< A finite literal if none of the others is set.
    std::optional<Factor> factor; ///< Alpha or beta; nullopt for other arguments.
};

struct PlanCall
{
    bool prepare = false;
    std::string kernel;
    std::vector<PlanExprPtr> grid;  ///< 1 to 3 extents
    std::vector<PlanExprPtr> block; ///< 1 to 3 extents
    PlanExprPtr sharedBytes;        ///< May be null.
    std::vector<PlanArgument> arguments;
    int line = 0;
};

/// The parsed plan lines of a kernel program, version 1 (docs/formats.md 1).
struct Plan
{
    Task task = Task::SpMV;
    ElementType type = ElementType::F32; ///< Type of the values, inputs and outputs.
    std::vector<PlanConst> consts;
    std::vector<PlanPart> parts;
    std::vector<PlanFormat> formats;
    std::vector<PlanBuffer> buffers;
    bool zeroOutput = false;
    std::vector<PlanCall> calls;
    std::vector<PlanRequirement> requirements;
};

/// A violation of the plan grammar: verdict `plan-error`.
struct PlanError
{
    int line = 0; ///< Line in the program text, from 1.
    std::string reason;
};

/// A kernel program: its text, its plan and the device code. The code keeps every line of the text, so
/// compiler line numbers match the text. Plan lines are blank, except that a const line reads "#define NAME
/// value". (-D options would also affect the compiler's built-in header, which names such as T break.)
struct KernelProgram
{
    ProgramText text;
    Plan plan;
    std::string code;
};

/// Parses and checks a program against the whole grammar. Accepts any bytes. Never throws.
tl::expected<KernelProgram, PlanError> parseProgram(ProgramText text);

/// The factors that a plan's launches take.
FactorUse factorsOf(const Plan& plan);

/// The consts of a plan with their names.
std::vector<std::pair<std::string, std::int64_t>> constValues(const Plan& plan);

} // namespace sparserl
