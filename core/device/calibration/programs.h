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
    std::size_t recommended = 4; ///< How many programs are the first results of recommend().
    std::uint64_t seed = 1;
};

/// Returns different programs to measure on one matrix. The first ones are those that recommend() returns for
/// the model. The others take every family in turn with random parameters, so that they include good and bad
/// choices. The same features and choice always yield the same programs.
std::vector<DerivedProgram> programsToMeasure(const TargetVariant& variant, const MatrixFeatures& features,
                                              const DeviceModel& model, const MeasureChoice& choice);

} // namespace sparserl
