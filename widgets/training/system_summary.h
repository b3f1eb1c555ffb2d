// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QString>
#include <vector>

namespace sparserl {

/// What a run takes of its machine, in one line of its last values: "2.0 cores, 1.3 GiB; GPU 87 %, 41 of
/// 139 GiB". Several GPUs are one: their mean, and their memory together. Empty where the run has not said.
QString systemSummary(const std::vector<LatestMetric>& metrics);

} // namespace sparserl
