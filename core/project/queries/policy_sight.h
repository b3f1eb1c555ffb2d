// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

namespace sparserl {

/// Settings by which a policy samples the non-zeros of a matrix (docs/design.md 6).
struct PolicySight
{
    /// "RUN/CHECKPOINT"; empty if there is no policy yet and these are the default settings.
    std::string policy;
    int entries = 96;
    bool windows = true; ///< Whether the policy reads windows of whole rows instead of a uniform sample.
};

/// Returns the settings of the newest checkpoint whose config.json specifies them.
Result<PolicySight> newestPolicySight(ProjectReader& reader);

} // namespace sparserl
