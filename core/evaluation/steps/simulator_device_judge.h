// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/steps/judge_services.h"
#include "machine/device_model.h"

namespace sparserl {

/// Creates the part of a judge that judges programs on the matrix itself on the simulated device. The
/// baseline is the reference program.
std::unique_ptr<DeviceJudge> makeSimulatorDeviceJudge(const JudgeServices& services, DeviceModel model);

} // namespace sparserl
