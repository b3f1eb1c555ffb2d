// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <string>
#include <vector>

namespace sparserl {

/// The distribution of time over the parts of a run's steps.
struct RunCost
{
    struct Part
    {
        std::string metric; ///< "timing_s/gen", ...; empty: not attributed to any part.
        double seconds = 0; ///< Over all steps.
    };
    std::int64_t steps = 0; ///< Steps with reported times.
    double seconds = 0;     ///< Over all parts.
    std::vector<Part> parts;
};

/// From the metrics timing_s/*, each step counted once. An evaluation is counted in addition to its step,
/// because timing_s/step does not include it. Empty without steps.
Result<RunCost> readRunCost(ProjectReader& reader, RunId run);

} // namespace sparserl
