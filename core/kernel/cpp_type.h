// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// A CUDA C++ type, with as much detail as the checks of expressions need. `Unknown` disables the checks.
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
    std::string_view vector; ///< The type's name ("float4", "dim3"), in static storage.
    std::uint8_t pointers = 0;
    std::uint8_t arrays = 0;    ///< Array dimensions around the base and its pointers.
    std::uint8_t constants = 0; ///< Bit 0: the base is const; bit n: the n-th pointer is const.
    std::uint8_t volatiles = 0; ///< The same bits for volatile.
    bool reference = false;

    bool known() const { return base != Base::Unknown; }
    bool isObject() const { return pointers == 0 && arrays == 0; }
    bool isPointer() const { return pointers > 0 && arrays == 0; }
    /// Whether the type is a pointer after decay.
    bool pointsTo() const { return pointers > 0 || arrays > 0; }
    bool isArithmetic() const { return isObject() && base >= Base::Bool && base <= Base::LongDouble; }
    bool isIntegral() const { return isObject() && base >= Base::Bool && base <= Base::UnsignedLongLong; }
    bool isFloating() const { return isArithmetic() && !isIntegral(); }
    bool isVector() const { return isObject() && base == Base::Vector; }
    bool isVoid() const { return isObject() && base == Base::Void; }
    bool isFunction() const { return isObject() && base == Base::Function; }
    bool isConst() const { return (constants >> pointers & 1) != 0; }

    /// The type that a pointer points to, or the element type of an array. For an array of several
    /// dimensions, this is an array with one dimension less. Unknown for other types.
    CppType pointee() const;
    CppType pointerTo() const;
    /// The type of a value of this type: without reference and top-level const or volatile, and with an array
    /// as a pointer. Arrays of arrays become Unknown.
    CppType decayed() const;
    bool sameBase(const CppType& other) const { return base == other.base && vector == other.vector; }

    static CppType of(Base base) { return {base, {}, 0, 0, 0, 0, false}; }
    static CppType vectorOf(std::string_view name);
};

/// The type that a single word names: "float4", "size_t", "int".
CppType typeOfWord(std::string_view word);
/// The common type of two arithmetic operands.
CppType arithmeticResult(const CppType& left, const CppType& right);
/// The type of a component (x, y, z, w) of a vector type, or nullopt if it has no such component.
std::optional<CppType> memberOf(const CppType& vector, std::string_view name);
/// Whether a value may convert to a type. Returns false only if C++ has no implicit conversion. `null` means
/// that the value is a literal 0.
bool converts(const CppType& from, const CppType& to, bool null);
/// Returns true if the types are equal except for const and volatile, or if one of them is unknown.
bool mayBeSame(const CppType& left, const CppType& right);
std::string describe(const CppType& type);

} // namespace sparserl
