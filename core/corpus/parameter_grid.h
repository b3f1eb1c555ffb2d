// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

/// Every program of the families' parameter grids that applies, by the estimate of recommend(), best first;
/// nothing is thinned out and nothing has a reason. Arguments as of recommend().
std::vector<Candidate> parameterGrid(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                     std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

} // namespace sparserl
