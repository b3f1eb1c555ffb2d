// SPDX-License-Identifier: Apache-2.0
#include "kernel/expression_reader.h"

#include "kernel/cpp_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Kind = Token::Kind;
using Base = CppType::Base;

constexpr int maxDepth = 150;

struct Operator
{
    std::string_view text;
    int precedence;
};

constexpr std::array<Operator, 24> operators{
    {{"||", 1}, {"or", 1},     {"&&", 2}, {"and", 2}, {"|", 3},      {"bitor", 3}, {"^", 4},  {"xor", 4},
     {"&", 5},  {"bitand", 5}, {"==", 6}, {"!=", 6},  {"not_eq", 6}, {"<", 7},     {">", 7},  {"<=", 7},
     {">=", 7}, {"<<", 8},     {">>", 8}, {"+", 9},   {"-", 9},      {"*", 10},    {"/", 10}, {"%", 10}}};

int precedenceOf(const Token* token)
{
    if (!token || (token->kind != Kind::Punctuator && token->kind != Kind::Identifier))
        return 0;
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](const Operator& op) { return token->is(op.text); });
    return found == operators.end() ? 0 : found->precedence;
}

bool isAssignment(const Token* token)
{
    static constexpr std::array<std::string_view, 14> words{
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "and_eq", "or_eq", "xor_eq"};
    return token && (token->kind == Kind::Punctuator || token->kind == Kind::Identifier) &&
           std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token->is(word); });
}

/// By ++ and --.
bool canBeCounted(const CppType& type)
{
    return !type.known() || type.isPointer() || (type.isArithmetic() && type.base != Base::Bool);
}

} // namespace

void ExpressionReader::refuse(std::string reason)
{
    if (failed())
        return;
    const std::size_t last = m_tokens.empty() ? 0 : m_tokens.size() - 1;
    const int line = m_tokens.empty() ? 1 : m_tokens[std::min(m_at, last)].line;
    m_stop = Stop{line, std::move(reason), false};
}

void ExpressionReader::unexpected()
{
    if (const Token* token = here())
        refuse(fmt::format("'{}' cannot stand here", token->text));
    else
        refuse("the statement ends in the middle of an expression");
}

bool ExpressionReader::take(std::string_view text)
{
    if (!is(text))
        return false;
    ++m_at;
    return true;
}

CppValue ExpressionReader::whole()
{
    CppValue value = assignment();
    while (!failed() && take(","))
        value = assignment();
    if (!failed() && m_at < m_tokens.size())
        unexpected();
    return value;
}

CppValue ExpressionReader::assignment()
{
    if (++m_depth > maxDepth)
        giveUp();
    if (failed())
        return CppValue();
    CppValue left = conditional();
    if (!failed() && isAssignment(here())) {
        const Token& op = *here();
        skip();
        if (is("{")) {
            checkModifiable(left, op.line);
            braced({});
            --m_depth;
            return left;
        }
        const CppValue right = assignment();
        if (!failed())
            left = assign(op, left, right);
    }
    --m_depth;
    return left;
}

CppValue ExpressionReader::conditional()
{
    const CppValue condition = binary(1);
    if (failed() || !is("?"))
        return condition;
    checkCondition(condition);
    skip();
    CppValue left = assignment();
    while (!failed() && take(","))
        left = assignment();
    if (failed())
        return CppValue();
    if (!take(":")) {
        refuse("the ':' of a '?' is missing");
        return CppValue();
    }
    const CppValue right = assignment();
    if (failed())
        return CppValue();
    const CppType a = left.type.decayed(), b = right.type.decayed();
    CppValue result;
    result.changes = false;
    if (!a.known() || !b.known())
        return result;
    const bool same = mayBeSame(a, b);
    const bool pointers = (a.pointsTo() && (right.null || b.base == Base::Null)) ||
                          (b.pointsTo() && (left.null || a.base == Base::Null)) ||
                          (a.isPointer() && b.isPointer() && (a.base == Base::Void || b.base == Base::Void));
    if (a.isArithmetic() && b.isArithmetic())
        result.type = same ? a : arithmeticResult(a, b);
    else if (same && a.isVector())
        result.type = a;
    else if (!same && !pointers && a.vector != "dim3" && b.vector != "dim3" && !a.isFunction() &&
             !b.isFunction())
        refuse(fmt::format("'?' has {} on one side and {} on the other", describe(a), describe(b)));
    else if (same && a.isPointer()) {
        result.type = a;
        result.type.constants |= b.constants;
        result.type.volatiles |= b.volatiles;
    }
    // Whether it is an lvalue is left open.
    return result;
}

CppValue ExpressionReader::binary(int minimum)
{
    CppValue left = unary();
    while (!failed()) {
        const Token* op = here();
        const int precedence = precedenceOf(op);
        if (precedence < minimum || precedence == 0)
            break;
        skip();
        const CppValue right = binary(precedence + 1);
        if (!failed())
            left = combine(*op, left, right);
    }
    return left;
}

bool ExpressionReader::startsType(std::size_t ahead) const
{
    const Token* token = here(ahead);
    if (!token || token->kind != Kind::Identifier)
        return false;
    if (token->is("const") || token->is("volatile"))
        return true;
    return isBuiltinType(token->text) && !m_names.find(token->text);
}

CppValue ExpressionReader::unary()
{
    if (++m_depth > maxDepth)
        giveUp();
    if (failed())
        return CppValue();
    CppValue result;
    const Token* token = here();
    const auto isOneOf = [&](std::initializer_list<std::string_view> words) {
        return token && token->kind != Kind::String && token->kind != Kind::Char &&
               std::any_of(words.begin(), words.end(),
                           [&](std::string_view word) { return token->is(word); });
    };
    if (isOneOf({"++", "--"})) {
        skip();
        result = unary();
        if (!failed() && checkModifiable(result, token->line) && !canBeCounted(result.type))
            refuse(fmt::format("'{}' cannot be applied to {}", token->text, describe(result.type)));
        result.changes = true;
    } else if (isOneOf({"+", "-", "!", "~", "not", "compl"})) {
        skip();
        const CppValue operand = unary();
        const CppType type = operand.type.decayed();
        result.changes = operand.changes;
        if (failed() || !type.known()) {
        } else if (token->is("!") || token->is("not")) {
            checkCondition(operand);
            result = CppValue::of(CppType::of(Base::Bool));
        } else if (token->is("~") || token->is("compl")
                       ? !type.isIntegral()
                       : !type.isArithmetic() && !(token->is("+") && type.isPointer())) {
            if (!type.isFunction())
                refuse(fmt::format("'{}' cannot be applied to {}", token->text, describe(type)));
        } else {
            result = CppValue::of(type.isPointer() ? type : arithmeticResult(type, type));
        }
        result.changes = operand.changes;
    } else if (isOneOf({"*"})) {
        skip();
        const CppValue operand = unary();
        if (!failed() && operand.type.known() && !operand.type.isFunction()) {
            if (!operand.type.pointsTo() ||
                (operand.type.isPointer() && operand.type.pointers == 1 && operand.type.base == Base::Void))
                refuse(fmt::format("'*' cannot be applied to {}", describe(operand.type)));
            result.type = operand.type.pointee();
            result.lvalue = true;
        }
    } else if (isOneOf({"&", "bitand"})) {
        skip();
        const CppValue operand = unary();
        if (!failed() && operand.temporary && !operand.type.isFunction())
            refuse("'&' needs something with an address");
        result = CppValue::of(operand.type.pointerTo());
    } else if (isOneOf({"sizeof"})) {
        skip();
        if (is("(") && startsType(1)) {
            skip();
            typeId();
            if (!failed() && !take(")"))
                unexpected();
        } else {
            unary();
        }
        result = CppValue::of(CppType::of(Base::UnsignedLong));
    } else if (is("(") && startsType(1)) {
        const std::size_t before = m_at;
        skip();
        const auto type = typeId();
        if (!failed() && !is(")")) { // (float(x) + 1), (int (*)[2])
            const bool call = is("(") || is("{");
            m_at = before;
            if (is("const", 1) || is("volatile", 1) || (is("(", 2) && (is("*", 3) || is("&", 3)) && !here(4)))
                giveUp();
            else if (is("(", 2) && (is(")", 4) || is("*", 4) || is("&", 4) || is("const", 4)) && is("*", 3))
                giveUp();
            else if (call)
                result = postfix(primary());
            else
                unexpected();
        } else if (!failed()) {
            skip();
            if (is("{"))
                giveUp();
            const CppValue operand = unary();
            if (!failed())
                result = castOf(type.value_or(CppType()), operand, false);
        }
    } else {
        result = postfix(primary());
    }
    --m_depth;
    return failed() ? CppValue() : result;
}

CppValue ExpressionReader::postfix(CppValue value)
{
    while (!failed()) {
        const Token* token = here();
        if (!token || token->kind != Kind::Punctuator)
            break;
        if (is("[")) {
            value = subscript(value);
        } else if (is(".") || is("->")) {
            skip();
            value = member(value, token->is("->"));
        } else if (is("++") || is("--")) {
            if (checkModifiable(value, token->line) && !canBeCounted(value.type))
                refuse(fmt::format("'{}' cannot be applied to {}", token->text, describe(value.type)));
            skip();
            value = CppValue::of(value.type.decayed());
            value.changes = true;
        } else if (is("(")) {
            if (value.type.known() && !value.type.isFunction() &&
                (value.type.isArithmetic() || value.type.isVector() || value.type.isVoid()))
                refuse(fmt::format("{} cannot be called", describe(value.type)));
            if (value.type.pointsTo() && value.type.base != Base::Void)
                refuse(fmt::format("{} cannot be called", describe(value.type)));
            arguments();
            value = CppValue();
        } else {
            break;
        }
    }
    return value;
}

CppValue ExpressionReader::subscript(CppValue value)
{
    skip();
    if (is("{") || is("]")) {
        unexpected();
        return CppValue();
    }
    CppValue index = assignment();
    while (!failed() && take(","))
        index = assignment();
    if (!failed() && !take("]"))
        unexpected();
    if (failed() || !value.type.known())
        return CppValue();
    const CppType at = index.type.decayed();
    if (value.type.isIntegral() && (!at.known() || at.isPointer()))
        std::swap(value.type, index.type); // 2[values]
    if (!value.type.pointsTo()) {
        if (!value.type.isFunction() || index.type.isArithmetic())
            refuse(fmt::format("'[' cannot be applied to {}", describe(value.type)));
        return CppValue();
    }
    const CppType by = index.type.decayed();
    if (by.known() && !by.isIntegral() && !by.isVector())
        refuse(fmt::format("an index cannot be {}", describe(by)));
    if (by.isVector())
        refuse(fmt::format("an index cannot be {}", describe(by)));
    CppValue result;
    result.type = value.type.pointee();
    result.lvalue = true;
    return result;
}

CppValue ExpressionReader::member(CppValue value, bool arrow)
{
    const Token* name = here();
    if (!name || name->kind != Kind::Identifier) {
        unexpected();
        return CppValue();
    }
    if (m_names.isConstant(name->text)) {
        unexpected();
        return CppValue();
    }
    if (is("template") || is("operator")) {
        giveUp();
        return CppValue();
    }
    CppType type = value.type;
    if (!type.known()) {
        skip();
        return CppValue();
    }
    if (arrow) {
        if (!type.pointsTo() || type.isFunction()) {
            refuse(fmt::format("'->' cannot be applied to {}", describe(type)));
            return CppValue();
        }
        type = type.pointee();
    }
    if (!type.isVector()) {
        refuse(fmt::format("{} has no members", describe(type)));
        return CppValue();
    }
    const auto found = memberOf(type, name->text);
    if (!found) {
        refuse(fmt::format("{} has no member '{}'", describe(type), name->text));
        return CppValue();
    }
    skip();
    CppValue result;
    result.type = *found;
    result.lvalue = arrow || value.lvalue;
    result.temporary = !arrow && value.temporary;
    result.changes = value.changes;
    return result;
}

CppValue ExpressionReader::primary()
{
    const Token* token = here();
    if (!token) {
        unexpected();
        return CppValue();
    }
    if (token->kind == Kind::Number)
        return number();
    if (token->kind == Kind::Char) {
        skip();
        return CppValue::of(CppType::of(token->text[0] == '\'' ? Base::Char : Base::OtherChar));
    }
    if (token->kind == Kind::String) {
        while (here() && here()->kind == Kind::String)
            skip();
        CppType type = CppType::of(Base::Char);
        type.arrays = 1; // Old code may take it for a char*.
        CppValue value;
        if (token->text[0] == '"')
            value.type = type;
        value.lvalue = true;
        return value;
    }
    if (is("(")) {
        skip();
        CppValue value = assignment();
        while (!failed() && take(",")) {
            value = assignment();
            value.null = false;
        }
        if (!failed() && !take(")"))
            unexpected();
        return value;
    }
    if (token->kind == Kind::Identifier)
        return name();
    unexpected();
    return CppValue();
}

CppValue ExpressionReader::number()
{
    const std::string text = here()->spelling();
    skip();
    const bool hex = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char last = text.back();
    CppType type = CppType::of(Base::Int);
    if (text.find('.') != std::string::npos || (!hex && text.find_first_of("eE") != std::string::npos) ||
        (hex && text.find_first_of("pP") != std::string::npos)) {
        type.base = last == 'f' || last == 'F'   ? Base::Float
                    : last == 'l' || last == 'L' ? Base::LongDouble
                                                 : Base::Double;
    } else {
        std::size_t suffix = text.find_last_not_of("uUlLzZ") + 1;
        const std::string_view ending = std::string_view(text).substr(suffix);
        const bool isUnsigned = ending.find_first_of("uU") != std::string_view::npos;
        const bool isLong = ending.find_first_of("lL") != std::string_view::npos;
        if (isLong)
            type.base = isUnsigned ? Base::UnsignedLong : Base::Long;
        else if (isUnsigned || hex)
            type.base = Base::Unsigned;
    }
    CppValue value = CppValue::of(type);
    value.null = text.find_first_not_of("0xXbBuUlLzZ") == std::string::npos;
    return value;
}

std::vector<CppValue> ExpressionReader::arguments()
{
    std::vector<CppValue> values;
    skip();
    if (take(")"))
        return values;
    do {
        if (is("{")) {
            braced({});
            values.push_back(CppValue());
        } else {
            values.push_back(assignment());
        }
    } while (!failed() && take(","));
    if (!failed() && !take(")"))
        unexpected();
    return values;
}

void ExpressionReader::braced(const CppType& to)
{
    if (++m_depth > maxDepth)
        giveUp();
    if (failed() || !take("{")) {
        unexpected();
        return;
    }
    while (!failed() && !is("}")) {
        if (is("."))
            giveUp(); // .member = value
        else if (is("{"))
            braced(to);
        else {
            const CppValue value = assignment();
            if (!failed() && (to.isArithmetic() || to.isPointer()))
                checkConversion(value, to, "a value in braces");
        }
        if (!failed() && !take(",") && !is("}"))
            unexpected();
    }
    take("}");
    --m_depth;
}

} // namespace sparserl
