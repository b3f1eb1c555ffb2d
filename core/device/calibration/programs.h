// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Up to `count` different programs for one matrix, for measuring: what recommend() says of the model first,
/// then every family in turn with drawn parameters, so that good and bad choices are both there. The same
/// features and seed give the same programs.
std::vector<DerivedProgram> programsToMeasure(Task task, const MatrixFeatures& features,
                                              const DeviceModel& model, std::size_t count,
                                              std::uint64_t seed);

} // namespace sparserl
