// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QString>
#include <vector>

namespace sparserl {

/// The resources that a run uses on its machine, as one line from its last values: "2.0 cores, 1.3 GiB; GPU
/// 87 %, 41 of 139 GiB". For several GPUs, the line has their mean load and their total memory. Empty if the
/// run has not reported its resources.
QString systemSummary(const std::vector<LatestMetric>& metrics);

} // namespace sparserl
