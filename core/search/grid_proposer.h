// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "matrix/features.h"
#include "search/proposer.h"
#include "target/target_id.h"

#include <memory>

namespace sparserl {

/// "grid": all programs of the corpus families' parameter grids, best estimate first.
std::unique_ptr<Proposer> makeGridProposer(const MatrixFeatures& features, const TargetVariant& variant,
                                           const DeviceModel& model);

} // namespace sparserl
