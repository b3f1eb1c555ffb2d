// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

/// Returns every applicable program of the families' parameter grids, ordered by the estimate of recommend(),
/// best first. Does not remove similar programs and leaves `reason` empty. The arguments are the same as for
/// recommend().
std::vector<Candidate> parameterGrid(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                     std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

} // namespace sparserl
