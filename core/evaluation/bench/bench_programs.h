// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "machine/device_model.h"
#include "matrix/features.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

struct BenchChoice
{
    std::vector<std::string> families;        ///< Family ids; empty: all.
    std::size_t limit = 25;                   ///< Programs per matrix.
    DeviceModel model = defaultDeviceModel(); ///< Device for which programs are chosen.
};

/// Returns programs that are worth timing on a matrix, in order of expected speed: the result of recommend(),
/// then the plain program of every missing family, then the recommended programs with one parameter changed
/// to a neighbouring value. `type` is the element type of the programs.
std::vector<DerivedProgram> benchPrograms(Task task, const MatrixFeatures& features,
                                          std::int64_t denseColumns, const BenchChoice& choice,
                                          ElementType type = ElementType::F32);

} // namespace sparserl
