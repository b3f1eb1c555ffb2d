// SPDX-License-Identifier: Apache-2.0
#include "compile/headers/own_headers.h"

#include "compile/headers/c_library_headers.h"

namespace sparserl {

namespace {

// clang-format off
constexpr std::string_view typeTraitsText = R"header(#pragma once
namespace std {
template <typename T, T v> struct integral_constant
{
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    __host__ __device__ constexpr operator T() const noexcept { return v; }
    __host__ __device__ constexpr T operator()() const noexcept { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <bool b, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool b, typename T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, typename T, typename F> struct conditional { using type = T; };
template <typename T, typename F> struct conditional<false, T, F> { using type = F; };
template <bool b, typename T, typename F> using conditional_t = typename conditional<b, T, F>::type;
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <typename T, typename U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> struct remove_const { using type = T; };
template <typename T> struct remove_const<const T> { using type = T; };
template <typename T> struct remove_volatile { using type = T; };
template <typename T> struct remove_volatile<volatile T> { using type = T; };
template <typename T> struct remove_cv { using type = typename remove_const<typename remove_volatile<T>::type>::type; };
template <typename T> struct remove_reference { using type = T; };
template <typename T> struct remove_reference<T&> { using type = T; };
template <typename T> struct remove_reference<T&&> { using type = T; };
template <typename T> struct remove_pointer { using type = T; };
template <typename T> struct remove_pointer<T*> { using type = T; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T*> : true_type {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> inline constexpr bool is_floating_point_v =
    is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>;
template <typename T, typename... Us> inline constexpr bool is_one_of_v = (is_same_v<remove_cv_t<T>, Us> || ...);
template <typename T> inline constexpr bool is_integral_v =
    is_one_of_v<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                long long, unsigned long long, wchar_t, char16_t, char32_t>;
template <typename T> struct is_floating_point : bool_constant<is_floating_point_v<T>> {};
template <typename T> struct is_integral : bool_constant<is_integral_v<T>> {};
template <typename T> inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <typename T> struct is_arithmetic : bool_constant<is_arithmetic_v<T>> {};
template <typename T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> inline constexpr bool is_signed_v = is_arithmetic_v<T> && T(-1) < T(0);
template <typename T> inline constexpr bool is_unsigned_v = is_integral_v<T> && !(T(-1) < T(0));
template <typename T> struct is_signed : bool_constant<is_signed_v<T>> {};
template <typename T> struct is_unsigned : bool_constant<is_unsigned_v<T>> {};
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view utilityText = R"header(#pragma once
#include <type_traits>
namespace std {
template <typename T> __host__ __device__ constexpr void swap(T& a, T& b)
{
    T c = a;
    a = b;
    b = c;
}
template <typename A, typename B> struct pair
{
    A first;
    B second;
};
template <typename A, typename B> __host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view algorithmText = R"header(#pragma once
#include <utility>
namespace std {
template <typename T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <typename T> __host__ __device__ constexpr const T& clamp(const T& v, const T& low, const T& high)
{
    return v < low ? low : high < v ? high : v;
}
template <typename I, typename T> __host__ __device__ constexpr I lower_bound(I first, I last, const T& value)
{
    auto count = last - first;
    while (count > 0) {
        const auto half = count / 2;
        if (first[half] < value) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
template <typename I, typename T> __host__ __device__ constexpr I upper_bound(I first, I last, const T& value)
{
    auto count = last - first;
    while (count > 0) {
        const auto half = count / 2;
        if (!(value < first[half])) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view limitsText = R"header(#pragma once
#include <float.h>
#include <limits.h>
namespace std {
template <typename T> struct numeric_limits
{
    static constexpr bool is_specialized = false;
};
template <> struct numeric_limits<bool>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(bool) * 8 - is_signed;
    __host__ __device__ static constexpr bool min() noexcept { return false; }
    __host__ __device__ static constexpr bool lowest() noexcept { return false; }
    __host__ __device__ static constexpr bool max() noexcept { return true; }
};
template <> struct numeric_limits<char>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(char) * 8 - is_signed;
    __host__ __device__ static constexpr char min() noexcept { return CHAR_MIN; }
    __host__ __device__ static constexpr char lowest() noexcept { return CHAR_MIN; }
    __host__ __device__ static constexpr char max() noexcept { return CHAR_MAX; }
};
template <> struct numeric_limits<signed char>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(signed char) * 8 - is_signed;
    __host__ __device__ static constexpr signed char min() noexcept { return SCHAR_MIN; }
    __host__ __device__ static constexpr signed char lowest() noexcept { return SCHAR_MIN; }
    __host__ __device__ static constexpr signed char max() noexcept { return SCHAR_MAX; }
};
template <> struct numeric_limits<unsigned char>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(unsigned char) * 8 - is_signed;
    __host__ __device__ static constexpr unsigned char min() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned char lowest() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned char max() noexcept { return UCHAR_MAX; }
};
template <> struct numeric_limits<short>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(short) * 8 - is_signed;
    __host__ __device__ static constexpr short min() noexcept { return SHRT_MIN; }
    __host__ __device__ static constexpr short lowest() noexcept { return SHRT_MIN; }
    __host__ __device__ static constexpr short max() noexcept { return SHRT_MAX; }
};
template <> struct numeric_limits<unsigned short>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(unsigned short) * 8 - is_signed;
    __host__ __device__ static constexpr unsigned short min() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned short lowest() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned short max() noexcept { return USHRT_MAX; }
};
template <> struct numeric_limits<int>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(int) * 8 - is_signed;
    __host__ __device__ static constexpr int min() noexcept { return INT_MIN; }
    __host__ __device__ static constexpr int lowest() noexcept { return INT_MIN; }
    __host__ __device__ static constexpr int max() noexcept { return INT_MAX; }
};
template <> struct numeric_limits<unsigned>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(unsigned) * 8 - is_signed;
    __host__ __device__ static constexpr unsigned min() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned lowest() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned max() noexcept { return UINT_MAX; }
};
template <> struct numeric_limits<long>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(long) * 8 - is_signed;
    __host__ __device__ static constexpr long min() noexcept { return LONG_MIN; }
    __host__ __device__ static constexpr long lowest() noexcept { return LONG_MIN; }
    __host__ __device__ static constexpr long max() noexcept { return LONG_MAX; }
};
template <> struct numeric_limits<unsigned long>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(unsigned long) * 8 - is_signed;
    __host__ __device__ static constexpr unsigned long min() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned long lowest() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned long max() noexcept { return ULONG_MAX; }
};
template <> struct numeric_limits<long long>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = true, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(long long) * 8 - is_signed;
    __host__ __device__ static constexpr long long min() noexcept { return LLONG_MIN; }
    __host__ __device__ static constexpr long long lowest() noexcept { return LLONG_MIN; }
    __host__ __device__ static constexpr long long max() noexcept { return LLONG_MAX; }
};
template <> struct numeric_limits<unsigned long long>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false, is_exact = true, has_infinity = false;
    static constexpr int digits = sizeof(unsigned long long) * 8 - is_signed;
    __host__ __device__ static constexpr unsigned long long min() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned long long lowest() noexcept { return 0; }
    __host__ __device__ static constexpr unsigned long long max() noexcept { return ULLONG_MAX; }
};
template <> struct numeric_limits<float>
{
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false, has_infinity = true;
    static constexpr int digits = FLT_MANT_DIG, digits10 = FLT_DIG, radix = 2;
    __host__ __device__ static constexpr float min() noexcept { return FLT_MIN; }
    __host__ __device__ static constexpr float lowest() noexcept { return -FLT_MAX; }
    __host__ __device__ static constexpr float max() noexcept { return FLT_MAX; }
    __host__ __device__ static constexpr float epsilon() noexcept { return FLT_EPSILON; }
    __host__ __device__ static constexpr float denorm_min() noexcept { return FLT_TRUE_MIN; }
    __host__ __device__ static constexpr float infinity() noexcept { return __builtin_bit_cast(float, 0x7f800000); }
    __host__ __device__ static constexpr float quiet_NaN() noexcept { return __builtin_bit_cast(float, 0x7fc00000); }
};
template <> struct numeric_limits<double>
{
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false, has_infinity = true;
    static constexpr int digits = DBL_MANT_DIG, digits10 = DBL_DIG, radix = 2;
    __host__ __device__ static constexpr double min() noexcept { return DBL_MIN; }
    __host__ __device__ static constexpr double lowest() noexcept { return -DBL_MAX; }
    __host__ __device__ static constexpr double max() noexcept { return DBL_MAX; }
    __host__ __device__ static constexpr double epsilon() noexcept { return DBL_EPSILON; }
    __host__ __device__ static constexpr double denorm_min() noexcept { return DBL_TRUE_MIN; }
    __host__ __device__ static constexpr double infinity() noexcept { return __builtin_bit_cast(double, 0x7ff0000000000000ll); }
    __host__ __device__ static constexpr double quiet_NaN() noexcept { return __builtin_bit_cast(double, 0x7ff8000000000000ll); }
};
}
)header";
// clang-format on

/// What every program has anyway: including them changes nothing.
std::vector<OwnHeader> nothingInThem()
{
    return {
        {"cuda_runtime.h", {}},
        {"cuda_runtime_api.h", {}},
        {"cuda.h", {}},
        {"device_launch_parameters.h", {}},
        {"device_functions.h", {}},
        {"device_atomic_functions.h", {}},
        {"driver_types.h", {}},
        {"vector_types.h", {}},
        {"vector_functions.h", {}},
        {"math_functions.h", {}},
        {"sm_20_intrinsics.h", {}},
        {"sm_30_intrinsics.h", {}},
        {"sm_32_intrinsics.h", {}},
        {"sm_35_intrinsics.h", {}},
        {"sm_60_atomic_functions.h", {}},
        {"sm_61_intrinsics.h", {}},
        {"assert.h", {}},
        {"cassert", {}},
        {"stdbool.h", {}},
        {"string.h", {}},
        {"stdlib.h", {}},
        {"stdio.h", {}},
    };
}

std::vector<OwnHeader> cppLibraryHeaders()
{
    return {
        {"type_traits", typeTraitsText},
        {"utility", utilityText},
        {"algorithm", algorithmText},
        {"limits", limitsText},
    };
}

} // namespace

const std::vector<OwnHeader>& ownHeaders()
{
    static const std::vector<OwnHeader> headers = [] {
        std::vector<OwnHeader> all = nothingInThem();
        for (const auto& more : {cLibraryHeaders(), cppLibraryHeaders()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return headers;
}

} // namespace sparserl
