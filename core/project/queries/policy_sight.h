// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

namespace sparserl {

/// How a policy reads a matrix (docs/design.md 6): how many non-zeros, and which.
struct PolicySight
{
    std::string policy; ///< "RUN/CHECKPOINT"; empty: the default settings, since there is no policy yet.
    int entries = 96;
    bool windows = true; ///< Windows of whole rows; else uniformly drawn.
};

/// That of the project's newest checkpoint whose config.json tells.
Result<PolicySight> newestPolicySight(ProjectReader& reader);

} // namespace sparserl
