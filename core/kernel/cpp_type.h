// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// As much of a type of CUDA C++ as is needed to say that an expression cannot compile. `Unknown` is a type
/// about which nothing is said.
struct CppType
{
    enum class Base : std::uint8_t
    {
        Unknown,
        Void,
        Null, ///< nullptr
        Function,
        Bool,
        Char,
        SignedChar,
        UnsignedChar,
        OtherChar, ///< wchar_t, char16_t, ...
        Short,
        UnsignedShort,
        Int,
        Unsigned,
        Long,
        UnsignedLong,
        LongLong,
        UnsignedLongLong,
        Float,
        Double,
        LongDouble,
        Vector ///< CUDA's vector types and dim3.
    };
    Base base = Base::Unknown;
    std::string_view vector; ///< "float4", "dim3": its name; the storage is static.
    std::uint8_t pointers = 0;
    std::uint8_t arrays = 0;    ///< Dimensions around the base and its pointers.
    std::uint8_t constants = 0; ///< Bit 0: the base is const, bit n: the n-th pointer.
    std::uint8_t volatiles = 0; ///< The same for volatile.
    bool reference = false;

    bool known() const { return base != Base::Unknown; }
    bool isObject() const { return pointers == 0 && arrays == 0; }
    bool isPointer() const { return pointers > 0 && arrays == 0; }
    /// A pointer after decay.
    bool pointsTo() const { return pointers > 0 || arrays > 0; }
    bool isArithmetic() const { return isObject() && base >= Base::Bool && base <= Base::LongDouble; }
    bool isIntegral() const { return isObject() && base >= Base::Bool && base <= Base::UnsignedLongLong; }
    bool isFloating() const { return isArithmetic() && !isIntegral(); }
    bool isVector() const { return isObject() && base == Base::Vector; }
    bool isVoid() const { return isObject() && base == Base::Void; }
    bool isFunction() const { return isObject() && base == Base::Function; }
    bool isConst() const { return (constants >> pointers & 1) != 0; }

    /// What it points to; Unknown for more than one dimension is still an array of one less.
    CppType pointee() const;
    CppType pointerTo() const;
    /// Its value: no reference, not const or volatile at the top, arrays as pointers. Arrays of arrays
    /// become Unknown.
    CppType decayed() const;
    bool sameBase(const CppType& other) const { return base == other.base && vector == other.vector; }

    static CppType of(Base base) { return {base, {}, 0, 0, 0, 0, false}; }
    static CppType vectorOf(std::string_view name);
};

/// The type of `word` where it is the only word of a type: "float4", "size_t", "int".
CppType typeOfWord(std::string_view word);
/// What two operands of an arithmetic operator become.
CppType arithmeticResult(const CppType& left, const CppType& right);
/// The type of a component (x, y, z, w) of a vector type; nothing if it has none of that name.
std::optional<CppType> memberOf(const CppType& vector, std::string_view name);
/// False only where C++ has no implicit conversion; `null`: the value is a literal 0.
bool converts(const CppType& from, const CppType& to, bool null);
/// True where both are the same type, but for const and volatile, or one is not known.
bool mayBeSame(const CppType& left, const CppType& right);
std::string describe(const CppType& type);

} // namespace sparserl
