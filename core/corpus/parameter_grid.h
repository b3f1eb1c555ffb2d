// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

/// Every applicable program of the families' parameter grids, ordered by the estimate of recommend(), best
/// first. Similar programs are not removed, and candidates have no reason. The arguments are those of
/// recommend().
std::vector<Candidate> parameterGrid(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                     std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

} // namespace sparserl
