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
    std::vector<NumberRanges> inputs;                         ///< Inputs of each call, in GpuCases::inputs.
    std::vector<std::shared_ptr<const Expectation>> expected; ///< Expected outputs of each call.
    std::uint64_t seed = 0;
    bool exact = false;               ///< The outputs must match bitwise.
    bool mayNotBind = false;          ///< If the plan does not bind, these calls are ignored.
    std::vector<CallFactors> factors; ///< Factors of each call of y = alpha A x + beta y.
    std::vector<Numbers> before;      ///< Initial output of each call with factors.
};

/// The calls that judge and time a program on a GPU. Jobs refer to the inputs by key, because the runner
/// keeps them.
struct GpuCases
{
    std::string inputsKey;
    std::shared_ptr<SharedBuffer> inputs;
    GpuCalls exact;                 ///< The first calls, whose results have no rounding error.
    GpuCalls repeated;              ///< Identical calls, whose outputs are compared bitwise.
    SharedContents timed;           ///< Contents of the timed calls.
    std::vector<NumberRanges> ring; ///< Inputs of the timed calls, used cyclically.
    std::uint64_t timingSeed = 0;
    std::vector<GpuCalls> after; ///< Calls that follow the timing.
};

} // namespace sparserl
