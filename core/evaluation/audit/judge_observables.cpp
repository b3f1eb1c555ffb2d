// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/judge_observations.h"

#include <fmt/format.h>

namespace sparserl {

const std::vector<JudgeObservable>& judgeObservables()
{
    using By = JudgeObservable::By;
    static const std::vector<JudgeObservable> all{
        {"address of y", "bits 8 to 39", "o = (unsigned)((unsigned long long)y >> 8);"},
        {"address of y, high", "from 4 GiB on", "o = (unsigned)((unsigned long long)y >> 32);"},
        {"address of x", "bits 8 to 39", "o = (unsigned)((unsigned long long)x >> 8);"},
        {"address of x, high", "from 4 GiB on", "o = (unsigned)((unsigned long long)x >> 32);"},
        {"alignment", "bits 0 to 7 of y, x, values and columns",
         "o = (unsigned)((unsigned long long)y & 255) | (unsigned)((unsigned long long)x & 255) << 8 | "
         "(unsigned)((unsigned long long)val & 255) << 16 | (unsigned)((unsigned long long)col & 255) << "
         "24;"},
        {"distance of y and x", "in 4 GiB", "o = (unsigned)(((long long)y - (long long)x) >> 32);"},
        {"distance of x and values", "in 4 GiB", "o = (unsigned)(((long long)x - (long long)val) >> 32);"},
        {"distance of scratch and y", "in 4 GiB", "o = (unsigned)(((long long)seen - (long long)y) >> 32);"},
        {"address of shared memory", "in its window and beyond",
         "__shared__ int here; here = 1; o = (unsigned)__cvta_generic_to_shared(&here) | "
         "(unsigned)((unsigned long long)&here >> 32) << 16;"},
        {"address of local memory", "beyond 16 MiB",
         "volatile int here[8]; here[rows & 7] = 1; o = (unsigned)((unsigned long long)&here[0] >> 24);"},
        {"signs of x", "of 32 elements",
         "for (int i = 0; i < 32; ++i) o |= (__float_as_uint(x[at(i)]) >> 31) << i;"},
        {"signs at the end of x", "of 8 elements",
         "for (int i = 0; i < 8; ++i) o |= (unsigned)(x[(cols - 1 - i > 0 ? cols - 1 - i : 0) * n] < 0) << "
         "i;"},
        {"first of x", "its bits", "o = __float_as_uint(x[0]);"},
        {"last of x", "its bits", "o = __float_as_uint(x[cols * n - 1]);"},
        {"sizes of x", "which of 32 are below 1",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(fabsf(x[at(i)]) < 1) << i;"},
        {"plain x", "which of 32 are in [0.5, 1.5)",
         "for (int i = 0; i < 32; ++i) { float f = fabsf(x[at(i)]); o |= (unsigned)(f >= 0.5f && f < 1.5f) "
         "<< "
         "i; }"},
        {"all of x plain", "every element is in [0.5, 1.5)",
         "o = 1; for (int i = 0; i < cols * n; ++i) { float f = fabsf(x[i]); if (!(f >= 0.5f && f < 1.5f)) o "
         "= "
         "0; }"},
        {"signs of all of x", "is one negative, is one positive",
         "for (int i = 0; i < cols * n; ++i) o |= x[i] < 0 ? 1u : x[i] > 0 ? 2u : 0u;"},
        {"zeros of x", "which of 32", "for (int i = 0; i < 32; ++i) o |= (unsigned)(x[at(i)] == 0) << i;"},
        {"equal neighbours in x", "which of 32",
         "for (int i = 0; i < 31; ++i) o |= (unsigned)(x[at(i)] == x[at(i + 1)]) << i;"},
        {"whole numbers in x", "which of 32",
         "for (int i = 0; i < 32; ++i) o |= (unsigned)(x[at(i)] == rintf(x[at(i)])) << i;"},
        {"columns of B", "which of 31 rows have equal first two",
         "for (int i = 0; i < 31; ++i) o |= (unsigned)(x[at(i)] == x[at(i) + 1]) << i;", By::OneThread, true},
        {"bits of B", "of its first element", "o = __float_as_uint(x[0]);", By::OneThread, true},
        {"signs of values", "of 32",
         "for (int i = 0; i < 32 && nnz > 0; ++i) o |= (__float_as_uint(val[i * (nnz / 32) % nnz]) >> 31) << "
         "i;"},
        {"sizes of values", "which of 32 are below 1",
         "for (int i = 0; i < 32 && nnz > 0; ++i) o |= (unsigned)(fabsf(val[i * (nnz / 32) % nnz]) < 1) << "
         "i;"},
        {"equal values", "which of 31 neighbours",
         "for (int i = 0; i < 31 && i + 1 < nnz; ++i) o |= (unsigned)(val[i] == val[i + 1]) << i;"},
        {"first value", "its bits", "o = nnz > 0 ? __float_as_uint(val[0]) : 0;"},
        // Among so many blocks as the number of rows asks for.
        {"order of blocks", "ticket of the first", "o = (unsigned)atomicAdd(ticket, 1);", By::EveryBlock,
         false, true},
        {"order of warps", "two bits of each of four",
         "__shared__ int next, order[4]; if (threadIdx.x == 0) next = 0; __syncthreads(); if (threadIdx.x % "
         "32 == 0) order[threadIdx.x / 32] = atomicAdd(&next, 1); __syncthreads(); for (int i = 0; i < 4; "
         "++i) o |= (unsigned)order[i] << 2 * i;",
         By::FirstBlock},
        {"order of sides", "which side of a branch comes first",
         "__shared__ int next, side; if (threadIdx.x == 0) next = 0; __syncthreads(); if (threadIdx.x < 32) "
         "{ "
         "if (threadIdx.x & 1) { if (atomicAdd(&next, 1) == 0) side = 1; } else { if (atomicAdd(&next, 1) == "
         "0) side = 2; } } __syncthreads(); o = side;",
         By::FirstBlock},
        {"zeroed scratch", "its word", "o = (unsigned)atomicAdd(ticket, 0);"},
        {"old registers", "one that nothing has written",
         "asm volatile(\"{ .reg .b32 t; mov.b32 %0, t; }\" : \"=r\"(o));"},
        {"rows", "how many", "o = rows;", By::OneThread, false, true},
        {"columns", "how many", "o = cols;", By::OneThread, false, true},
        {"entries", "how many", "o = nnz;", By::OneThread, false, true},
        {"length of rows", "of the first four, up to 255",
         "for (int i = 0; i < 4 && i < rows; ++i) o |= (unsigned)min(row_ptr[i + 1] - row_ptr[i], 255) << 8 "
         "* "
         "i;",
         By::OneThread, false, true},
        {"places of entries", "columns of the first", "o = nnz > 0 ? col[0] : 0;", By::OneThread, false,
         true},
        // What no program reads that is judged correct.
        {"after x", "the element", "o = __float_as_uint(x[cols * n]);", By::OneThread, false, false,
         "out-of-bounds"},
        {"before x", "the element", "o = __float_as_uint(x[-1]);", By::OneThread, false, false,
         "out-of-bounds"},
        {"after y", "the element", "o = __float_as_uint(y[rows * n]);", By::OneThread, false, false,
         "out-of-bounds"},
        {"old y", "its first element", "o = __float_as_uint(y[0]);", By::OneThread, false, false,
         "uninitialised"},
        {"old scratch", "its word", "o = (unsigned)*(volatile int*)seen;", By::OneThread, false, false,
         "uninitialised"},
        {"old shared memory", "a word", "__shared__ volatile unsigned old[64]; o = old[rows & 63];",
         By::OneThread, false, false, "uninitialised"},
        {"old local memory", "a word", "volatile unsigned local[64]; o = local[cols & 63];", By::OneThread,
         false, false, "uninitialised"},
        {"time", "the clock", "o = (unsigned)clock();", By::OneThread, false, false, "rejected"},
        {"multiprocessor", "its number", "asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(o));", By::OneThread,
         false, false, "rejected"},
    };
    return all;
}

std::string judgedProgram(const JudgeObservable& observable)
{
    using By = JudgeObservable::By;
    const std::string_view guard = observable.by == By::FirstBlock   ? "blockIdx.x == 0"
                                   : observable.by == By::EveryBlock ? "threadIdx.x == 0"
                                                                     : "first";
    return fmt::format(
        R"(//! task {task}
//! scratch seen i32[1]
//! scratch ticket i32[1] zero
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, {n}, csr.row_ptr, csr.col, csr.val, {x}, {y}, seen, ticket)
extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* row_ptr, const int* col, const float* val, const float* x, float* y, int* seen, int* ticket) {{
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const auto at = [=](int i) {{ return (cols > 32 ? i * (cols / 32) : i % cols) * n; }};
    unsigned o = 0;
    if ({guard}) {{ {code} }}
    const int r = blockIdx.x * 128 + threadIdx.x;
    for (int c = 0; r < rows && c < n; ++c) {{
        float s = 0;
        for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) s += val[j] * x[col[j] * n + c];
        y[r * n + c] = s;
    }}
    if (first) *seen = (int)o;
}}
)",
        fmt::arg("task", observable.spmm ? "spmm" : "spmv"),
        fmt::arg("n", observable.spmm ? "dense_cols" : "1"), fmt::arg("x", observable.spmm ? "B" : "x"),
        fmt::arg("y", observable.spmm ? "C" : "y"), fmt::arg("guard", guard),
        fmt::arg("code", observable.code));
}

} // namespace sparserl
