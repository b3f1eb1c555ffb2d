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
    std::size_t recommended = 4; ///< Number of programs that are the first results of recommend().
    std::uint64_t seed = 1;
};

/// Different programs to measure on one matrix: first those that recommend() returns for the model, then
/// every family in turn with random parameters, to include good and bad choices. Deterministic in features
/// and choice.
std::vector<DerivedProgram> programsToMeasure(const TargetVariant& variant, const MatrixFeatures& features,
                                              const DeviceModel& model, const MeasureChoice& choice);

} // namespace sparserl
