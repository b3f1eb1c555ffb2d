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
    std::vector<std::string> families;        ///< Ids; empty: all.
    std::size_t limit = 25;                   ///< Programs for each matrix.
    DeviceModel model = defaultDeviceModel(); ///< Device that they are to suit.
};

/// Programs worth timing on a matrix, likely best first: what recommend() says; then the plain program of
/// every family that is not there yet; then what was recommended with one parameter moved to a neighbouring
/// value. `type`: of their elements.
std::vector<DerivedProgram> benchPrograms(Task task, const MatrixFeatures& features,
                                          std::int64_t denseColumns, const BenchChoice& choice,
                                          ElementType type = ElementType::F32);

} // namespace sparserl
