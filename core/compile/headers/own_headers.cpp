// SPDX-License-Identifier: Apache-2.0
#include "compile/headers/own_headers.h"

namespace sparserl {

namespace {

// clang-format off
constexpr std::string_view stdintHText = R"header(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef signed char int_fast8_t;
typedef long int_fast16_t;
typedef long int_fast32_t;
typedef long int_fast64_t;
typedef unsigned char uint_fast8_t;
typedef unsigned long uint_fast16_t;
typedef unsigned long uint_fast32_t;
typedef unsigned long uint_fast64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807l
#define INT64_MIN (-9223372036854775807l - 1)
#define UINT64_MAX 18446744073709551615ul
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#define SIZE_MAX UINT64_MAX
#define PTRDIFF_MAX INT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define INT8_C(x) x
#define INT16_C(x) x
#define INT32_C(x) x
#define INT64_C(x) x##l
#define UINT8_C(x) x
#define UINT16_C(x) x
#define UINT32_C(x) x##u
#define UINT64_C(x) x##ul
)header";
// clang-format on

// clang-format off
constexpr std::string_view cstdintText = R"header(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
using ::intmax_t;
using ::uintmax_t;
using ::int_least8_t;
using ::int_least16_t;
using ::int_least32_t;
using ::int_least64_t;
using ::uint_least8_t;
using ::uint_least16_t;
using ::uint_least32_t;
using ::uint_least64_t;
using ::int_fast8_t;
using ::int_fast16_t;
using ::int_fast32_t;
using ::int_fast64_t;
using ::uint_fast8_t;
using ::uint_fast16_t;
using ::uint_fast32_t;
using ::uint_fast64_t;
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view stddefHText = R"header(#pragma once
#undef offsetof
#define offsetof(type, member) ((size_t) & (((type*)0)->member))
)header";
// clang-format on

// clang-format off
constexpr std::string_view cstddefText = R"header(#pragma once
#include <stddef.h>
namespace std {
using size_t = ::size_t;
using ptrdiff_t = ::ptrdiff_t;
using nullptr_t = decltype(nullptr);
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view limitsHText = R"header(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
)header";
// clang-format on

// clang-format off
constexpr std::string_view climitsText = R"header(#pragma once
#include <limits.h>
)header";
// clang-format on

// clang-format off
constexpr std::string_view floatHText = R"header(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1p-126f
#define FLT_TRUE_MIN 0x1p-149f
#define FLT_EPSILON 0x1p-23f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1p-1022
#define DBL_TRUE_MIN 0x1p-1074
#define DBL_EPSILON 0x1p-52
)header";
// clang-format on

// clang-format off
constexpr std::string_view cfloatText = R"header(#pragma once
#include <float.h>
)header";
// clang-format on

// clang-format off
constexpr std::string_view mathHText = R"header(#pragma once
#undef INFINITY
#undef NAN
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#define NAN (__builtin_bit_cast(float, 0x7fc00000))
#define HUGE_VALF INFINITY
#define HUGE_VAL ((double)INFINITY)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)header";
// clang-format on

// clang-format off
constexpr std::string_view cmathText = R"header(#pragma once
#include <math.h>
namespace std {
using ::abs;
using ::fabs;
using ::sqrt;
using ::pow;
using ::exp;
using ::exp2;
using ::expm1;
using ::log;
using ::log2;
using ::log10;
using ::log1p;
using ::sin;
using ::cos;
using ::tan;
using ::asin;
using ::acos;
using ::atan;
using ::atan2;
using ::sinh;
using ::cosh;
using ::tanh;
using ::asinh;
using ::acosh;
using ::atanh;
using ::floor;
using ::ceil;
using ::trunc;
using ::round;
using ::rint;
using ::nearbyint;
using ::fmin;
using ::fmax;
using ::fma;
using ::fmod;
using ::remainder;
using ::copysign;
using ::hypot;
using ::cbrt;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::signbit;
using ::ldexp;
using ::frexp;
using ::modf;
using ::lround;
using ::llround;
using ::lrint;
using ::llrint;
using ::logb;
using ::ilogb;
using ::scalbn;
using ::nextafter;
using ::erf;
using ::erfc;
using ::tgamma;
using ::lgamma;
using ::fdim;
using ::fabsf;
using ::sqrtf;
using ::powf;
using ::expf;
using ::exp2f;
using ::logf;
using ::log2f;
using ::log10f;
using ::sinf;
using ::cosf;
using ::tanf;
using ::floorf;
using ::ceilf;
using ::truncf;
using ::roundf;
using ::rintf;
using ::fminf;
using ::fmaxf;
using ::fmaf;
using ::fmodf;
using ::copysignf;
using ::hypotf;
using ::cbrtf;
using ::tanhf;
using ::ldexpf;
using ::nan;
using ::nanf;
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view cstdlibText = R"header(#pragma once
#include <stdlib.h>
namespace std {
using ::abs;
using ::labs;
using ::llabs;
using ::malloc;
using ::free;
using size_t = ::size_t;
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view cstringText = R"header(#pragma once
#include <string.h>
namespace std {
using ::memcpy;
using ::memset;
using size_t = ::size_t;
}
)header";
// clang-format on

// clang-format off
constexpr std::string_view cstdioText = R"header(#pragma once
#include <stdio.h>
namespace std {
using ::printf;
}
)header";
// clang-format on

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

} // namespace

const std::vector<OwnHeader>& ownHeaders()
{
    static const std::vector<OwnHeader> headers = {
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
        {"stdint.h", stdintHText},
        {"cstdint", cstdintText},
        {"stddef.h", stddefHText},
        {"cstddef", cstddefText},
        {"limits.h", limitsHText},
        {"climits", climitsText},
        {"float.h", floatHText},
        {"cfloat", cfloatText},
        {"math.h", mathHText},
        {"cmath", cmathText},
        {"cstdlib", cstdlibText},
        {"cstring", cstringText},
        {"cstdio", cstdioText},
        {"type_traits", typeTraitsText},
        {"utility", utilityText},
        {"algorithm", algorithmText},
        {"limits", limitsText},
    };
    return headers;
}

} // namespace sparserl
