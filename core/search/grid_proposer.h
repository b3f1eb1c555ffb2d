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

/// Creates the proposer "grid". It proposes every program in the parameter grids of these corpus families, in
/// ascending order of estimated time. `families` holds their ids; if it is empty, all families are used.
std::unique_ptr<Proposer> makeGridProposer(const MatrixFeatures& features, const TargetVariant& variant,
                                           const DeviceModel& model,
                                           const std::vector<std::string>& families = {});

} // namespace sparserl
