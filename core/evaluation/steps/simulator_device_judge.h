// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/steps/judge_services.h"
#include "machine/device_model.h"

namespace sparserl {

/// The matrix itself on the simulated device; the baseline is the reference program.
std::unique_ptr<DeviceJudge> makeSimulatorDeviceJudge(const JudgeServices& services, DeviceModel model);

} // namespace sparserl
