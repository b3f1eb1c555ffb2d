// SPDX-License-Identifier: Apache-2.0
// Operators, casts and conversions: what ExpressionReader says of their operands.
#include "kernel/cpp_words.h"
#include "kernel/expression_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Base = CppType::Base;

} // namespace

/// `type` and one value in parentheses or behind them.
CppValue ExpressionReader::castOf(const CppType& type, CppValue value, bool implicitToo)
{
    const CppType from = value.type.decayed();
    if (from.known() && type.known()) {
        bool wrong = false;
        if (type.isArithmetic())
            wrong = from.isVector() || from.isVoid() || (type.isFloating() && from.isPointer());
        else if (type.isPointer())
            wrong = from.isVector() || from.isVoid() || from.isFloating();
        else if (type.isVector() && type.vector != "dim3")
            wrong = (!from.isVector() || (from.vector != type.vector && from.vector != "dim3"));
        if (implicitToo && !wrong) { // static_cast
            if (type.isArithmetic() && from.isPointer() && type.base != Base::Bool)
                wrong = true;
            else if (type.isPointer() && from.isIntegral() && !value.null)
                wrong = true;
            else if (type.isPointer() && from.isPointer() && type.base != Base::Void &&
                     from.base != Base::Void)
                wrong = !converts(from, type, value.null);
        }
        if (wrong)
            refuse(fmt::format("{} cannot be cast to {}", describe(from), describe(type)));
    }
    CppValue result = CppValue::of(type.decayed());
    if (type.reference) {
        result.type = type;
        result.type.reference = false;
        result.lvalue = true;
        result.temporary = false;
    }
    result.changes = value.changes;
    return result;
}

CppValue ExpressionReader::namedCast()
{
    const Token& word = *here();
    skip();
    if (!take("<")) {
        unexpected();
        return CppValue();
    }
    const auto type = typeId();
    if (failed())
        return CppValue();
    if (!take(">") || !take("(")) {
        if (is(">>"))
            giveUp();
        else
            unexpected();
        return CppValue();
    }
    CppValue value = assignment();
    while (!failed() && take(","))
        value = assignment();
    if (!failed() && !take(")"))
        unexpected();
    if (failed() || !type)
        return CppValue();
    if (word.is("static_cast"))
        return castOf(*type, value, true);
    if (word.is("reinterpret_cast")) {
        const CppType from = value.type.decayed();
        const bool scalar = from.isFloating() || from.isVector() || from.isVoid() ||
                            (from.isIntegral() && !type->pointsTo() && !mayBeSame(from, *type));
        const bool target = type->isPointer() || type->reference || type->isIntegral();
        if (from.known() && type->known() && !type->reference && (scalar || !target))
            refuse(fmt::format("{} cannot be reinterpreted as {}", describe(from), describe(*type)));
        if (from.known() && type->known() && type->isPointer() && from.isPointer() &&
            (from.constants & ~type->constants & 1) != 0 && from.pointers == 1 && type->pointers == 1)
            refuse(fmt::format("reinterpret_cast cannot take const away from {}", describe(from)));
    } else if (value.type.known() && type->known() && !type->reference && !type->isPointer()) {
        refuse("const_cast is for pointers and references");
    }
    CppValue result = CppValue::of(type->decayed());
    if (type->reference) {
        result.type = *type;
        result.type.reference = false;
        result.lvalue = true;
        result.temporary = false;
    }
    return result;
}

bool ExpressionReader::checkModifiable(const CppValue& value, int line)
{
    std::string_view reason;
    if (failed())
        return false;
    if (value.temporary)
        reason = "only a variable can be changed";
    else if (value.type.isFunction())
        reason = "a function cannot be changed";
    else if (value.type.arrays > 0)
        reason = "an array cannot be changed as a whole";
    else if (value.type.known() && value.lvalue && value.type.isConst())
        reason = "what is const cannot be changed";
    if (reason.empty())
        return true;
    m_stop = Stop{line, std::string(reason), false};
    return false;
}

void ExpressionReader::checkConversion(const CppValue& value, const CppType& to, std::string_view what)
{
    if (!failed() && !converts(value.type, to, value.null))
        refuse(fmt::format("{} is {}, which does not become {}", what, describe(value.type), describe(to)));
}

void ExpressionReader::checkCondition(const CppValue& value)
{
    if (!failed() && (value.type.isVector() || value.type.isVoid()))
        refuse(fmt::format("{} is no condition", describe(value.type)));
}

CppValue ExpressionReader::assign(const Token& op, const CppValue& left, const CppValue& right)
{
    if (!checkModifiable(left, op.line))
        return CppValue();
    CppValue result = left;
    result.null = false;
    result.changes = true;
    const CppType to = left.type, from = right.type.decayed();
    if (!to.known() || !from.known())
        return result;
    if (op.is("=")) {
        checkConversion(right, to, "the value");
        return result;
    }
    const bool additive = op.is("+=") || op.is("-=");
    const bool integral = !additive && !op.is("*=") && !op.is("/=");
    const bool fits = to.isPointer() ? additive && from.isIntegral()
                      : integral     ? to.isIntegral() && from.isIntegral()
                                     : to.isArithmetic() && from.isArithmetic();
    if (!fits)
        refuse(fmt::format("'{}' cannot be applied to {} and {}", op.text, describe(to), describe(from)));
    return result;
}

CppValue ExpressionReader::combine(const Token& op, const CppValue& left, const CppValue& right)
{
    const CppType a = left.type.decayed(), b = right.type.decayed();
    const bool logical = op.is("&&") || op.is("||") || op.is("and") || op.is("or");
    const bool comparison = op.is("==") || op.is("!=") || op.is("not_eq") || op.is("<") || op.is(">") ||
                            op.is("<=") || op.is(">=");
    CppValue result;
    result.changes = !logical && (left.changes || right.changes);
    const auto refuseThem = [&] {
        refuse(fmt::format("'{}' cannot be applied to {} and {}", op.text, describe(a), describe(b)));
        return result;
    };
    if (a.isVoid() || b.isVoid())
        return refuseThem();
    if (logical) {
        if (a.isVector() || b.isVector())
            return refuseThem();
        result.type = CppType::of(Base::Bool);
        result.temporary = true;
        return result;
    }
    if (!a.known() || !b.known())
        return result;
    if (a.isVector() || b.isVector())
        return refuseThem();
    if (a.isFunction() || b.isFunction()) {
        if (comparison)
            return result;
        return refuseThem();
    }
    result.temporary = true;
    if (comparison) {
        result.type = CppType::of(Base::Bool);
        const bool nullA = left.null || a.base == Base::Null, nullB = right.null || b.base == Base::Null;
        bool fits = true;
        if (a.isPointer() && b.isPointer())
            fits = mayBeSame(a, b) || a.base == Base::Void || b.base == Base::Void;
        else if (a.isPointer() || b.isPointer())
            fits = a.isPointer() ? nullB : nullA;
        return fits ? result : refuseThem();
    }
    if (a.isPointer() || b.isPointer()) {
        if (op.is("+") && a.isPointer() != b.isPointer() && (a.isPointer() ? b : a).isIntegral())
            result.type = a.isPointer() ? a : b;
        else if (op.is("-") && a.isPointer() && b.isIntegral())
            result.type = a;
        else if (op.is("-") && a.isPointer() && b.isPointer() && mayBeSame(a, b))
            result.type = CppType::of(Base::Long);
        else
            return refuseThem();
        return result;
    }
    if (a.base == Base::Null || b.base == Base::Null)
        return refuseThem();
    const bool integral = op.is("%") || op.is("<<") || op.is(">>") || op.is("&") || op.is("|") ||
                          op.is("^") || op.is("bitand") || op.is("bitor") || op.is("xor");
    if (integral && !(a.isIntegral() && b.isIntegral()))
        return refuseThem();
    result.type = op.is("<<") || op.is(">>") ? arithmeticResult(a, a) : arithmeticResult(a, b);
    return result;
}

} // namespace sparserl
