// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <string>
#include <vector>

namespace sparserl {

/// Where the time of a run's steps went.
struct RunCost
{
    struct Part
    {
        std::string metric; ///< "timing_s/gen", ...; empty: what no part accounts for.
        double seconds = 0; ///< Of all steps together.
    };
    std::int64_t steps = 0; ///< That reported their time.
    double seconds = 0;     ///< Of all of them.
    std::vector<Part> parts;
};

/// Of the metrics timing_s/*, each step counted once. An evaluation counts besides the step that it follows,
/// as timing_s/step does not hold it. Without any step: nothing.
Result<RunCost> readRunCost(ProjectReader& reader, RunId run);

} // namespace sparserl
