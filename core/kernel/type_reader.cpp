// SPDX-License-Identifier: Apache-2.0
// Types as they are written, and what predefined functions return.
#include "kernel/cpp_words.h"
#include "kernel/expression_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl {

namespace {

using Base = CppType::Base;

/// The words that make up one fundamental type.
struct TypeWords
{
    int longs = 0, shorts = 0, signs = 0;
    bool isUnsigned = false;
    std::string_view core;

    bool take(std::string_view word)
    {
        if (word == "long")
            return ++longs <= 2;
        if (word == "short")
            return ++shorts <= 1;
        if (word == "signed" || word == "unsigned") {
            isUnsigned = word == "unsigned";
            return ++signs <= 1;
        }
        if (!core.empty())
            return false;
        core = word;
        return true;
    }
    bool any() const { return longs || shorts || signs || !core.empty(); }
    bool valid() const
    {
        if (core == "int" || core.empty())
            return longs == 0 || shorts == 0;
        if (core == "char")
            return longs == 0 && shorts == 0;
        if (core == "double" || core == "float") // "long float" is old C for double.
            return longs <= 1 && shorts == 0 && signs == 0;
        return longs == 0 && shorts == 0 && signs == 0;
    }
    CppType type() const
    {
        if (core == "char" && signs)
            return CppType::of(isUnsigned ? Base::UnsignedChar : Base::SignedChar);
        if (core == "double" && longs)
            return CppType::of(Base::LongDouble);
        if (core == "float" && longs)
            return CppType::of(Base::Double);
        if (core == "int" || core.empty()) {
            if (shorts)
                return CppType::of(isUnsigned ? Base::UnsignedShort : Base::Short);
            if (longs == 1)
                return CppType::of(isUnsigned ? Base::UnsignedLong : Base::Long);
            if (longs == 2)
                return CppType::of(isUnsigned ? Base::UnsignedLongLong : Base::LongLong);
            return CppType::of(isUnsigned ? Base::Unsigned : Base::Int);
        }
        return typeOfWord(core);
    }
};

bool isKeywordType(std::string_view word)
{
    return isBuiltinType(word) && isCppKeyword(word);
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool startsWith(std::string_view word, std::string_view start)
{
    return word.substr(0, start.size()) == start;
}

} // namespace

std::optional<ExpressionReader::Specifiers> ExpressionReader::specifiers(bool declaration)
{
    Specifiers result;
    TypeWords words;
    bool isVolatile = false;
    for (; !failed() && here() && here()->kind == Token::Kind::Identifier; skip()) {
        const std::string_view word = here()->text;
        if (word == "const") {
            result.constant = true;
        } else if (word == "volatile") {
            isVolatile = true;
        } else if (isBuiltinType(word) && !m_names.isConstant(word)) {
            if (!isKeywordType(word) && (words.any() || m_names.find(word))) {
                if (m_names.find(word))
                    giveUp();
                break; // The name of something, not its type.
            }
            if (!words.take(word))
                refuse(fmt::format("'{}' makes no type with the words before it", word));
        } else if (declaration && isDeclarationSpecifier(word) && !startsWith(word, "__restrict")) {
            result.external = result.external || word == "extern";
            result.shared = result.shared || word == "__shared__";
            result.fixed = result.fixed || word == "constexpr";
        } else if (declaration &&
                   isOneOf(word, {"__noinline__", "__inline__", "__inline", "__host__", "__global__"})) {
        } else {
            break;
        }
    }
    if (failed())
        return std::nullopt;
    result.any = words.any();
    if (!result.any)
        return result;
    if (!words.valid()) {
        refuse("these words make no type");
        return std::nullopt;
    }
    result.automatic = words.core == "auto";
    result.type = result.automatic ? CppType() : words.type();
    if (result.type.known()) {
        result.type.constants = result.constant || result.fixed ? 1 : 0;
        result.type.volatiles = isVolatile ? 1 : 0;
    }
    return result;
}

CppType ExpressionReader::pointers(CppType type)
{
    for (; !failed() && here(); skip()) {
        if (is("*")) {
            if (type.reference)
                refuse("there is no pointer to a reference");
            if (type.known() && type.pointers < 5)
                ++type.pointers;
            else
                type = {};
        } else if (is("&") || is("&&")) {
            if (type.reference)
                refuse("there is no reference to a reference");
            type.reference = true;
        } else if (is("const")) {
            if (type.known())
                type.constants = static_cast<std::uint8_t>(type.constants | 1u << type.pointers);
        } else if (is("volatile")) {
            if (type.known())
                type.volatiles = static_cast<std::uint8_t>(type.volatiles | 1u << type.pointers);
        } else if (!is("__restrict__") && !is("__restrict")) {
            break;
        }
    }
    return type;
}

/// Nothing only after a failure.
std::optional<CppType> ExpressionReader::typeId()
{
    const auto found = specifiers(false);
    if (failed())
        return std::nullopt;
    if (!found->any) {
        const Token* token = here();
        const bool unknown = token && token->kind == Token::Kind::Identifier && !isCppKeyword(token->text);
        if (unknown)
            name(); // Refuses what is not declared.
        if (token && (!unknown || m_names.find(token->text)) && !failed())
            refuse(fmt::format("'{}' is no type", token->text));
        giveUp();
        return std::nullopt;
    }
    if (found->automatic) {
        giveUp();
        return std::nullopt;
    }
    const CppType type = pointers(found->type);
    if (is("["))
        giveUp();
    return failed() ? std::nullopt : std::optional(type);
}

CppType resultOfPredefined(std::string_view name, const std::vector<CppValue>& values, std::string& wrong)
{
    const auto typeAt = [&](std::size_t i) {
        return i < values.size() ? values[i].type.decayed() : CppType();
    };
    const auto needArithmetic = [&](std::size_t from) {
        for (std::size_t i = from; i < values.size(); ++i) {
            const CppType type = typeAt(i);
            if (type.known() && !type.isArithmetic())
                wrong = fmt::format("does not take {}", describe(type));
        }
    };
    if (startsWith(name, "make_")) {
        needArithmetic(0);
        return typeOfWord(name.substr(5));
    }
    if (isOneOf(name, {"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv"})) {
        const CppType type = typeAt(0);
        if (type.known() && !type.isPointer())
            wrong = fmt::format("needs a pointer, not {}", describe(type));
        return type.known() ? type.pointee().decayed() : CppType();
    }
    if (isOneOf(name, {"__stcs", "__stcg", "__stwb", "__stwt"})) {
        const CppType type = typeAt(0);
        if (type.known() && !type.isPointer())
            wrong = fmt::format("needs a pointer, not {}", describe(type));
        else if (type.known() && type.pointee().isConst())
            wrong = "cannot write to what is const";
        return CppType::of(Base::Void);
    }
    if (startsWith(name, "atomic")) {
        const CppType type = typeAt(0);
        if (!type.known())
            return {};
        if (!type.isPointer())
            wrong = fmt::format("needs a pointer, not {}", describe(type));
        else if (type.pointee().isConst())
            wrong = "cannot write to what is const";
        else if (typeAt(1).isPointer() || typeAt(1).isVoid())
            wrong = fmt::format("does not take {} as its value", describe(typeAt(1)));
        return type.pointee().decayed();
    }
    if (isOneOf(name, {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"})) {
        needArithmetic(0);
        const CppType type = typeAt(1);
        return type.isFloating() || type.isIntegral() ? arithmeticResult(type, type) : CppType();
    }
    if (isOneOf(name, {"min", "max"})) {
        needArithmetic(0);
        return arithmeticResult(typeAt(0), typeAt(1));
    }
    if (isOneOf(name, {"fmaf",           "fmaxf",          "fminf",
                       "fabsf",          "sqrtf",          "rsqrtf",
                       "expf",           "logf",           "sinf",
                       "cosf",           "fmodf",          "__fmaf_rn",
                       "__fadd_rn",      "__fmul_rn",      "__fsub_rn",
                       "__fdividef",     "__frcp_rn",      "floorf",
                       "ceilf",          "__int2float_rn", "__uint2float_rn",
                       "__int_as_float", "__uint_as_float"})) {
        needArithmetic(0);
        return CppType::of(Base::Float);
    }
    if (isOneOf(name, {"fma", "sqrt", "fabs", "abs", "fmax", "fmin", "exp", "log", "floor", "ceil"})) {
        needArithmetic(0);
        return {};
    }
    if (isOneOf(name, {"__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", "__float_as_int",
                       "__any_sync", "__all_sync", "__mul24", "__float2int_rn", "__float2int_rz"})) {
        needArithmetic(0);
        return CppType::of(Base::Int);
    }
    if (isOneOf(name, {"__ballot_sync", "__activemask", "__float_as_uint", "__brev", "__umulhi"})) {
        needArithmetic(0);
        return CppType::of(Base::Unsigned);
    }
    if (isOneOf(name, {"__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block",
                       "__threadfence_system", "__trap", "__nanosleep"})) {
        needArithmetic(0);
        return CppType::of(Base::Void);
    }
    return {};
}

} // namespace sparserl
