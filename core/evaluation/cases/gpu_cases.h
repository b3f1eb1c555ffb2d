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
    std::vector<NumberRanges> inputs;                         ///< Of each call, in GpuCases::inputs.
    std::vector<std::shared_ptr<const Expectation>> expected; ///< Of each call.
    std::uint64_t seed = 0;
    bool exact = false;               ///< To the last bit.
    bool mayNotBind = false;          ///< A plan that does not bind here says nothing.
    std::vector<CallFactors> factors; ///< Of each call, where it is one of y = alpha A x + beta y;
    std::vector<Numbers> before;      ///< and what the output holds.
};

/// What a program is judged and timed with on a GPU. Inputs are shared with the runner under a key.
struct GpuCases
{
    std::string inputsKey;
    std::shared_ptr<SharedBuffer> inputs;
    GpuCalls exact;                 ///< First: the results have no error.
    GpuCalls repeated;              ///< Calls that are all the same, compared bit by bit.
    SharedContents timed;           ///< What is timed,
    std::vector<NumberRanges> ring; ///< with the inputs of these calls in turn,
    std::uint64_t timingSeed = 0;
    std::vector<GpuCalls> after; ///< and what runs afterwards.
};

} // namespace sparserl
