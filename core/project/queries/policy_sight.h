// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

namespace sparserl {

/// How a policy samples a matrix (docs/design.md 6): how many non-zeros, and which.
struct PolicySight
{
    std::string policy; ///< "RUN/CHECKPOINT"; empty for the default settings if there is no policy yet.
    int entries = 96;
    bool windows = true; ///< Windows of whole rows; otherwise uniform sampling.
};

/// The settings of the newest checkpoint whose config.json specifies them.
Result<PolicySight> newestPolicySight(ProjectReader& reader);

} // namespace sparserl
