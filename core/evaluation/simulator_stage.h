// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge_pipeline.h"
#include "machine/device_model.h"

namespace sparserl {

/// The matrix itself on the simulated device; the baseline is the reference program.
std::unique_ptr<TargetStage> makeSimulatorStage(JudgePipeline& judge, DeviceModel model);

} // namespace sparserl
