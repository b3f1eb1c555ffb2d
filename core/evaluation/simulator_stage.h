// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_model.h"
#include "evaluation/judge_pipeline.h"

namespace sparserl {

/// The matrix itself on the simulated device; the baseline is the reference program.
std::unique_ptr<TargetStage> makeSimulatorStage(JudgePipeline& judge, DeviceModel model);

} // namespace sparserl
