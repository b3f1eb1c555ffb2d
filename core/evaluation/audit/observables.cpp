// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/observations.h"

#include <fmt/format.h>

namespace sparserl {

const std::vector<Observable>& observables()
{
    // In `code`: x, y, rows, cols, row_ptr, col, val, seen, ticket, shared.
    static const std::vector<Observable> all{
        {"address of y", "bits 8 to 39", "o = (unsigned)((unsigned long long)y >> 8);"},
        {"address of y, high", "bits from 32 on", "o = (unsigned)((unsigned long long)y >> 32);"},
        {"address of x", "bits 8 to 39", "o = (unsigned)((unsigned long long)x >> 8);"},
        {"alignment", "bits 0 to 7 of y, x, values and columns",
         "o = (unsigned)((unsigned long long)y & 255) | (unsigned)((unsigned long long)x & 255) << 8 | "
         "(unsigned)((unsigned long long)val & 255) << 16 | (unsigned)((unsigned long long)col & 255) << "
         "24;"},
        {"distance of y and x", "in 256 bytes", "o = (unsigned)(((long long)y - (long long)x) >> 8);"},
        {"distance of y and values", "in 256 bytes", "o = (unsigned)(((long long)y - (long long)val) >> 8);"},
        {"distance of x and values", "in 256 bytes", "o = (unsigned)(((long long)x - (long long)val) >> 8);"},
        {"distance of scratch and y", "in 256 bytes",
         "o = (unsigned)(((long long)seen - (long long)y) >> 8);"},
        {"signs after x", "of 32 elements, against those at its start",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(x[cols + i] != x[i]) << i;"},
        {"signs before x", "of 32 elements, against those at its end",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(x[-1 - i] != x[cols - 1 - i]) << i;"},
        {"sizes after x", "of 32 elements, against those at its start",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(fabsf(x[cols + i]) != fabsf(x[i])) << i;"},
        {"signs of x", "of 32 elements",
         "for (int i = 0; i < 32; ++i) o |= (__float_as_uint(x[i * (cols / 32)]) >> 31) << i;"},
        {"first of x", "its bits", "o = __float_as_uint(x[0]);"},
        {"last of x", "its bits", "o = __float_as_uint(x[cols - 1]);"},
        {"sizes of x", "which of 32 are below 1",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(fabsf(x[i * (cols / 32)]) < 1) << i;"},
        {"zeros of x", "which of 32",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(x[i * (cols / 32)] == 0) << i;"},
        {"old y", "bits of its first element", "o = __float_as_uint(((volatile float*)y)[0]);"},
        {"NaN in old y", "which of 32 elements from the middle on",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(((volatile float*)y)[rows / 2 + i] != ((volatile "
         "float*)y)[rows / 2 + i]) << i;"},
        {"old scratch", "its word", "o = (unsigned)*(volatile int*)seen;"},
        {"before y", "the bytes", "o = __float_as_uint(y[-1]);"},
        {"after y", "the bytes", "o = __float_as_uint(y[rows]);"},
        {"before the values", "the bytes", "o = __float_as_uint(val[-1]);"},
        {"order of blocks", "ticket of the first", "o = (unsigned)atomicAdd(ticket, 0);"},
        {"old registers", "one that nothing has written",
         "asm volatile(\"{ .reg .b32 t; mov.b32 %0, t; }\" : \"=r\"(o));"},
        {"old local memory", "a word of an array", "volatile unsigned local[64]; o = local[cols & 63];"},
        {"old shared memory", "a word of the first block's", "o = shared[1024];", true},
        {"marks in shared memory", "calls since it was cleared, on one SM",
         "volatile unsigned* mark = shared + 24000; o = mark[0] == 0x5eed1234u ? mark[1] + 1 : 0; mark[0] = "
         "0x5eed1234u; mark[1] = o;",
         true},
    };
    return all;
}

std::string observingProgram(const Observable& observable, bool toOutput)
{
    return fmt::format(
        R"(//! task spmv
//! scratch seen i32[1]
//! scratch ticket i32[1] zero
//! launch k<<<{grid}, {block}, {shared}>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y, seen, ticket)
extern __shared__ unsigned dynamic[];
extern "C" __global__ void k(int rows, int cols, const int* row_ptr, const int* col, const float* val, const float* x, float* y, int* seen, int* ticket) {{
    volatile unsigned* shared = dynamic;
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    unsigned o = 0;
    if (first) {{ {code} }}
    if (threadIdx.x == 0) atomicAdd(ticket, 1);
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {{
        float s = 0;
        for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) s += val[j] * x[col[j]];
        y[r] = s;
    }}
    if (first) {{ {target} = {value}; }}
}}
)",
        fmt::arg("grid", observable.wholeSm ? "sm_count" : "ceil_div(rows, 128)"),
        fmt::arg("block", observable.wholeSm ? 1024 : 128),
        fmt::arg("shared", observable.wholeSm ? 160000 : 0), fmt::arg("code", observable.code),
        fmt::arg("target", toOutput ? "y[0]" : "*seen"),
        fmt::arg("value", toOutput ? "__uint_as_float(o)" : "(int)o"));
}

} // namespace sparserl
