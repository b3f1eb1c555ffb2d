// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpp_type.h"

#include "kernel/cpp_words.h"
#include "kernel/predefined_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sparserl {

namespace {

using Base = CppType::Base;

constexpr std::array<std::pair<std::string_view, Base>, 12> elements{{{"char", Base::SignedChar},
                                                                      {"uchar", Base::UnsignedChar},
                                                                      {"short", Base::Short},
                                                                      {"ushort", Base::UnsignedShort},
                                                                      {"int", Base::Int},
                                                                      {"uint", Base::Unsigned},
                                                                      {"longlong", Base::LongLong},
                                                                      {"ulonglong", Base::UnsignedLongLong},
                                                                      {"long", Base::Long},
                                                                      {"ulong", Base::UnsignedLong},
                                                                      {"float", Base::Float},
                                                                      {"double", Base::Double}}};

constexpr std::array<std::string_view, 18> baseNames{"?",
                                                     "void",
                                                     "nullptr",
                                                     "a function",
                                                     "bool",
                                                     "char",
                                                     "signed char",
                                                     "unsigned char",
                                                     "a character",
                                                     "short",
                                                     "unsigned short",
                                                     "int",
                                                     "unsigned",
                                                     "long",
                                                     "unsigned long",
                                                     "long long",
                                                     "unsigned long long",
                                                     "float"};

/// The name without "_16a" and its like, which say how it is aligned.
std::string_view plainVector(std::string_view name)
{
    return name.substr(0, name.find('_'));
}

std::uint8_t bit(int at)
{
    return static_cast<std::uint8_t>(1u << at);
}

} // namespace

CppType CppType::pointee() const
{
    CppType type = *this;
    type.reference = false;
    if (arrays > 0) {
        --type.arrays;
        return type;
    }
    if (pointers == 0)
        return {};
    const std::uint8_t mask = static_cast<std::uint8_t>(~bit(pointers));
    type.constants &= mask;
    type.volatiles &= mask;
    --type.pointers;
    return type;
}

CppType CppType::pointerTo() const
{
    if (!known() || arrays > 0 || pointers > 5 || isFunction())
        return {};
    CppType type = *this;
    type.reference = false;
    ++type.pointers;
    return type;
}

CppType CppType::decayed() const
{
    if (arrays > 1)
        return {};
    CppType type = *this;
    type.reference = false;
    if (arrays == 1) {
        type.arrays = 0;
        return type.pointerTo();
    }
    const std::uint8_t mask = static_cast<std::uint8_t>(~bit(pointers));
    type.constants &= mask;
    type.volatiles &= mask;
    return type;
}

CppType CppType::vectorOf(std::string_view name)
{
    CppType type = of(Base::Vector);
    type.vector = name;
    return type;
}

CppType typeOfWord(std::string_view word)
{
    static constexpr std::array<std::pair<std::string_view, Base>, 11> words{{{"void", Base::Void},
                                                                              {"bool", Base::Bool},
                                                                              {"char", Base::Char},
                                                                              {"wchar_t", Base::OtherChar},
                                                                              {"char16_t", Base::OtherChar},
                                                                              {"char32_t", Base::OtherChar},
                                                                              {"int", Base::Int},
                                                                              {"float", Base::Float},
                                                                              {"double", Base::Double},
                                                                              {"size_t", Base::UnsignedLong},
                                                                              {"ptrdiff_t", Base::Long}}};
    for (const auto& [name, base] : words) {
        if (name == word)
            return CppType::of(base);
    }
    // Vector types. The name in the table is static, that in a program's text is not.
    const Predefined* found = isBuiltinType(word) ? findPredefined(word) : nullptr;
    return found ? CppType::vectorOf(found->name) : CppType();
}

CppType arithmeticResult(const CppType& left, const CppType& right)
{
    if (!left.isArithmetic() || !right.isArithmetic())
        return {};
    return CppType::of(std::max({left.base, right.base, Base::Int}));
}

std::optional<CppType> memberOf(const CppType& vector, std::string_view name)
{
    if (name.size() != 1)
        return std::nullopt;
    const std::string_view plain = plainVector(vector.vector);
    const std::size_t at = std::string_view("xyzw").find(name[0]);
    const std::size_t count = static_cast<std::size_t>(plain.back() - '0');
    if (at == std::string_view::npos || at >= count)
        return std::nullopt;
    CppType type = CppType::of(Base::Unsigned); // dim3
    for (const auto& [element, base] : elements) {
        if (plain.substr(0, plain.size() - 1) == element)
            type = CppType::of(base);
    }
    type.constants = vector.constants;
    type.volatiles = vector.volatiles;
    return type;
}

bool mayBeSame(const CppType& left, const CppType& right)
{
    if (!left.known() || !right.known())
        return true;
    return left.sameBase(right) && left.pointers == right.pointers && left.arrays == right.arrays;
}

bool converts(const CppType& from, const CppType& to, bool null)
{
    const CppType value = from.decayed();
    if (!value.known() || !to.known() || to.arrays > 0 || to.isFunction())
        return true;
    if (value.isVoid() || to.isVoid())
        return value.isVoid() && to.isVoid();
    if (to.isVector()) {
        if (to.vector == "dim3" || value.vector == "dim3") // It converts from numbers and from uint3.
            return !value.pointsTo() && !value.isFunction();
        return value.isVector() && value.vector == to.vector;
    }
    if (to.isPointer()) {
        if (null || value.isFunction() || value.base == Base::Null)
            return true;
        if (!value.isPointer())
            return false;
        const bool anyPointer = to.pointers == 1 && to.base == Base::Void;
        if (!anyPointer && (!value.sameBase(to) || value.pointers != to.pointers))
            return false;
        if (anyPointer && value.pointers > 1)
            return true;
        // What it points to may become const or volatile, never lose it.
        return to.pointers != 1 ||
               ((value.constants & ~to.constants & 1) == 0 && (value.volatiles & ~to.volatiles & 1) == 0);
    }
    if (to.base == Base::Bool)
        return !value.isVector();
    if (to.isArithmetic())
        return value.isArithmetic();
    return true;
}

std::string describe(const CppType& type)
{
    std::string text = (type.constants & 1) ? "const " : "";
    if (type.base == Base::Vector)
        text += type.vector;
    else if (type.base == Base::Double)
        text += "double";
    else if (type.base == Base::LongDouble)
        text += "long double";
    else
        text += baseNames[static_cast<std::size_t>(type.base)];
    text.append(type.pointers, '*');
    for (int i = 0; i < type.arrays; ++i)
        text += "[]";
    return text;
}

} // namespace sparserl
