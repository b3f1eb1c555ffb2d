// SPDX-License-Identifier: Apache-2.0
#include "compile/headers/c_library_headers.h"

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
// clang-format on

} // namespace

std::vector<OwnHeader> cLibraryHeaders()
{
    return {
        {"stdint.h", stdintHText}, {"cstdint", cstdintText},  {"stddef.h", stddefHText},
        {"cstddef", cstddefText},  {"limits.h", limitsHText}, {"climits", climitsText},
        {"float.h", floatHText},   {"cfloat", cfloatText},    {"math.h", mathHText},
        {"cmath", cmathText},      {"cstdlib", cstdlibText},  {"cstring", cstringText},
        {"cstdio", cstdioText},
    };
}

} // namespace sparserl
