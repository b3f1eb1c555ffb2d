// SPDX-License-Identifier: Apache-2.0
// The plan of the program, evaluated for a matrix. Runs on the host and needs no GPU.
#pragma once

#include "formats.h"
#include "plan_code.h"

#include <array>

namespace sparserl_bundle {

struct Argument
{
    enum Kind
    {
        number,
        buffer,
        input,
        output,
        alpha,
        beta
    } kind = number;
    std::int64_t value = 0; ///< A number (a float as its bits), or the index of a buffer.
};

struct Buffer
{
    HostArray contents; ///< The data of the matrix; empty for scratch and prepared buffers.
    std::size_t bytes = 0;
    bool zero = false; ///< Zeroed before every run.
};

struct Call
{
    std::size_t kernel = 0; ///< Index into the kernel names.
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    unsigned shared = 0; ///< Dynamic shared memory, in bytes.
    std::vector<Argument> arguments;
};

struct BoundPlan
{
    std::vector<Buffer> buffers;
    /// `prepares` run once, `launches` on every run. Both are in order and have no calls with empty grids.
    std::vector<Call> prepares, launches;
    std::size_t input_bytes = 0, output_bytes = 0;
    bool zero_output = false; ///< Zeroed before every run.
    bool takes_alpha = false, takes_beta = false;
};

/// Builds formats and parts and evaluates all expressions, by the rules under which the program was judged.
/// `a` must outlive the result. Throws Failure(not_applicable) if the plan does not apply to the matrix.
BoundPlan bind_plan(const std::int64_t* words, std::size_t size, const Csr& a, std::int64_t dense_cols,
                    std::int64_t sm_count);

/// Returns FNV-1a over row_ptr and col.
std::uint64_t pattern_checksum(const Csr& a);

} // namespace sparserl_bundle
