// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "target/target_id.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

struct MeasureChoice
{
    std::size_t count = 20;
    std::size_t recommended = 4; ///< Of them, what recommend() says first.
    std::uint64_t seed = 1;
};

/// Different programs for one matrix, for measuring: what recommend() says of the model first, then every
/// family in turn with drawn parameters, so that good and bad choices are both there. The same features and
/// choice give the same programs.
std::vector<DerivedProgram> programsToMeasure(const TargetVariant& variant, const MatrixFeatures& features,
                                              const DeviceModel& model, const MeasureChoice& choice);

} // namespace sparserl
