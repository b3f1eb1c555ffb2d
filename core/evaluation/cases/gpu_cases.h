// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/expectation.h"
#include "evaluation/cases/shared_contents.h"
#include "evaluation/protocol/jobs.h"
#include "target/factors.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Calls of a program on one target on a GPU.
struct GpuCalls
{
    SharedContents contents;
    std::vector<NumberRanges> inputs;                         ///< Per call, in GpuCases::inputs.
    std::vector<std::shared_ptr<const Expectation>> expected; ///< Per call.
    std::uint64_t seed = 0;
    bool exact = false;               ///< Compared bitwise.
    bool mayNotBind = false;          ///< A plan that does not bind here is ignored.
    std::vector<CallFactors> factors; ///< Per call of y = alpha A x + beta y: the factors,
    std::vector<Numbers> before;      ///< and the initial output.
};

/// The calls that judge and time a program on a GPU. The runner gets the inputs by key.
struct GpuCases
{
    std::string inputsKey;
    std::shared_ptr<SharedBuffer> inputs;
    GpuCalls exact;                 ///< First: results without rounding error.
    GpuCalls repeated;              ///< Identical calls, compared bitwise.
    SharedContents timed;           ///< The timed contents,
    std::vector<NumberRanges> ring; ///< cyclic inputs of the timed calls,
    std::uint64_t timingSeed = 0;
    std::vector<GpuCalls> after; ///< and the calls after timing.
};

} // namespace sparserl
