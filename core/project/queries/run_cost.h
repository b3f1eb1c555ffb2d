// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <string>
#include <vector>

namespace sparserl {

/// The times that the parts of a run's steps have taken.
struct RunCost
{
    struct Part
    {
        /// A metric such as "timing_s/gen"; empty: time that belongs to none of the parts.
        std::string metric;
        double seconds = 0; ///< Sum over all steps.
    };
    std::int64_t steps = 0; ///< Number of steps that have reported times.
    double seconds = 0;     ///< Sum over all parts.
    std::vector<Part> parts;
};

/// Computes the cost from the metrics timing_s/*. Each step counts once. An evaluation counts in addition to
/// its step, because timing_s/step does not include it. The result has no parts if there are no steps.
Result<RunCost> readRunCost(ProjectReader& reader, RunId run);

} // namespace sparserl
