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
    std::vector<CallFactors> factors; ///< Factors of each call of y = alpha A x + beta y.
    std::vector<Numbers> before;      ///< Initial output of each such call.
};

/// The calls that judge and time a program on a GPU. The runner gets the inputs by key.
struct GpuCases
{
    std::string inputsKey;
    std::shared_ptr<SharedBuffer> inputs;
    GpuCalls exact;                 ///< The first calls; their results have no rounding error.
    GpuCalls repeated;              ///< Identical calls, compared bitwise.
    SharedContents timed;           ///< Contents of the timed calls.
    std::vector<NumberRanges> ring; ///< Inputs of the timed calls, used cyclically.
    std::uint64_t timingSeed = 0;
    std::vector<GpuCalls> after; ///< Calls after timing.
};

} // namespace sparserl
