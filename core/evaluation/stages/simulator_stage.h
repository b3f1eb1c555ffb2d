// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/stages/stage_services.h"
#include "machine/device_model.h"

namespace sparserl {

/// The matrix itself on the simulated device; the baseline is the reference program.
std::unique_ptr<TargetStage> makeSimulatorStage(const StageServices& services, DeviceModel model);

} // namespace sparserl
