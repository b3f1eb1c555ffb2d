// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "matrix/features.h"
#include "search/proposer.h"
#include "target/target_id.h"

#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// "grid": all programs of the parameter grids of these corpus families, best estimate first. No ids: all
/// families.
std::unique_ptr<Proposer> makeGridProposer(const MatrixFeatures& features, const TargetVariant& variant,
                                           const DeviceModel& model,
                                           const std::vector<std::string>& families = {});

} // namespace sparserl
