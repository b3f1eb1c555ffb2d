// SPDX-License-Identifier: Apache-2.0
// Names and calls in expressions.
#include "kernel/cpp_words.h"
#include "kernel/expression_reader.h"
#include "kernel/predefined_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Base = CppType::Base;

bool isCastWord(const Token& token)
{
    return token.is("static_cast") || token.is("reinterpret_cast") || token.is("const_cast");
}

} // namespace

CppValue ExpressionReader::name()
{
    const Token& token = *here();
    if (is("true") || is("false")) {
        skip();
        return CppValue::of(CppType::of(Base::Bool));
    }
    if (is("nullptr")) {
        skip();
        return CppValue::of(CppType::of(Base::Null));
    }
    if (isCastWord(token))
        return namedCast();
    if (m_names.isConstant(token.text)) {
        skip();
        if (is("(")) { // A number.
            unexpected();
            return CppValue();
        }
        CppValue value = CppValue::of({}); // int or long
        value.type = CppType::of(Base::Int);
        value.temporary = true;
        value.null = true; // Perhaps.
        return value;
    }
    const Name* entry = m_names.find(token.text);
    if (!entry && isBuiltinType(token.text))
        return construction();
    if (isCppKeyword(token.text)) {
        static constexpr std::array<std::string_view, 7> others{
            "this", "alignof", "typeid", "noexcept", "decltype", "dynamic_cast", "operator"};
        if (std::find(others.begin(), others.end(), token.text) != others.end())
            giveUp();
        else
            unexpected();
        return CppValue();
    }
    return entry ? declaredName(*entry) : predefinedName();
}

/// `float(x)`, `dim3(a, b)`, `float4{...}`
CppValue ExpressionReader::construction()
{
    const Token& token = *here();
    if (!is("(", 1) && !is("{", 1)) {
        // unsigned int(x) is no expression either.
        skip();
        unexpected();
        return CppValue();
    }
    if (is("auto")) {
        giveUp();
        return CppValue();
    }
    const CppType type = token.is("unsigned") ? CppType::of(Base::Unsigned)
                         : token.is("signed") ? CppType::of(Base::Int)
                         : token.is("long")   ? CppType::of(Base::Long)
                         : token.is("short")  ? CppType::of(Base::Short)
                                              : typeOfWord(token.text);
    skip();
    if (is("{")) {
        braced({});
        return CppValue::of(type);
    }
    const auto values = arguments();
    if (failed())
        return CppValue();
    if (values.size() == 1)
        return castOf(type, values[0], false);
    const bool takesMore = values.empty() || (token.is("dim3") && values.size() <= 3);
    if (!takesMore && (type.isArithmetic() || type.isVector()))
        refuse(fmt::format("{} is not made of {} values in parentheses", describe(type), values.size()));
    return CppValue::of(type);
}

CppValue ExpressionReader::declaredName(const Name& entry)
{
    const Token& token = *here();
    skip();
    if (is("(") && entry.kind == Name::Kind::Function)
        return call(token);
    if (is("<") && entry.kind == Name::Kind::Opaque) {
        giveUp();
        return CppValue();
    }
    CppValue value;
    value.type = entry.type;
    value.type.reference = false;
    value.lvalue = entry.kind == Name::Kind::Variable;
    value.changes = entry.changes;
    if (entry.kind == Name::Kind::Function)
        value.type = CppType::of(Base::Function);
    return value;
}

CppValue ExpressionReader::predefinedName()
{
    const Token& token = *here();
    const Predefined* found = findPredefined(token.text);
    if (!found) {
        if (mayBePredefined(token.text) || isDeclarationSpecifier(token.text)) {
            giveUp();
            return CppValue();
        }
        refuse(fmt::format("the name '{}' is not declared", token.text));
        return CppValue();
    }
    constexpr unsigned anyNumber = 0xff;
    if (found->kind == Predefined::Kind::Function && found->arities == anyNumber) {
        giveUp(); // A word of the compiler's language, such as __alignof__, which may take a type.
        return CppValue();
    }
    if (found->kind == Predefined::Kind::Type || found->kind == Predefined::Kind::Macro) {
        static constexpr std::array<std::string_view, 5> values{"NULL", "__CUDA_ARCH__", "__LINE__",
                                                                "CUDART_VERSION", "__cplusplus"};
        if (std::find(values.begin(), values.end(), token.text) == values.end()) {
            giveUp();
            return CppValue();
        }
        skip();
        return CppValue();
    }
    skip();
    if (found->kind == Predefined::Kind::Variable) {
        CppValue value;
        if (token.is("warpSize"))
            value = CppValue::of(CppType::of(Base::Int));
        else if (isCudaVariable(token.text)) {
            value.type = typeOfWord(token.is("threadIdx") || token.is("blockIdx") ? "uint3" : "dim3");
            value.type.constants = 1;
            value.lvalue = true;
            value.changes = true;
        }
        return value;
    }
    if (is("("))
        return call(token);
    if (is("<")) { // Perhaps a template of the compiler's own.
        giveUp();
        return CppValue();
    }
    CppValue value;
    value.type = CppType::of(Base::Function);
    return value;
}

CppValue ExpressionReader::call(const Token& name)
{
    const auto values = arguments();
    if (failed())
        return CppValue();
    for (const CppValue& value : values) {
        if (value.type.isVoid())
            refuse("an argument has no value (void)");
    }
    if (const Name* entry = m_names.find(name.text))
        return callOwn(*entry, name, values);
    const Predefined* found = findPredefined(name.text);
    const std::size_t count = std::min<std::size_t>(values.size(), 7);
    if (found && found->arities != 0 && values.size() < 7 && (found->arities >> count & 1) == 0) {
        refuse(fmt::format("'{}' does not take {} arguments", name.text, values.size()));
        return CppValue();
    }
    std::string wrong;
    const CppType type = resultOfPredefined(name.text, values, wrong);
    if (!wrong.empty())
        refuse(fmt::format("'{}' {}", name.text, wrong));
    CppValue result = CppValue::of(type);
    result.changes = false;
    return result;
}

CppValue ExpressionReader::callOwn(const Name& entry, const Token& name, const std::vector<CppValue>& values)
{
    const auto takes = [&](const FunctionShape& f) {
        return !f.known || (values.size() >= f.required && values.size() <= f.parameters.size());
    };
    const auto& functions = entry.functions;
    if (std::none_of(functions.begin(), functions.end(), takes)) {
        refuse(fmt::format("'{}' does not take {} arguments", name.text, values.size()));
        return CppValue();
    }
    if (functions.size() != 1)
        return CppValue();
    const FunctionShape& function = functions.front();
    if (!function.known)
        return CppValue();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const CppType& to = function.parameters[i];
        if (!to.reference && !converts(values[i].type, to, values[i].null)) {
            refuse(fmt::format("argument {} of '{}' is {}, it takes {}", i + 1, name.text,
                               describe(values[i].type), describe(to)));
            return CppValue();
        }
    }
    CppValue result;
    if (!function.result.reference)
        result = CppValue::of(function.result.decayed());
    return result;
}

} // namespace sparserl
