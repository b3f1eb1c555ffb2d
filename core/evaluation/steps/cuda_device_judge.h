// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/steps/judge_services.h"

namespace sparserl {

/// Creates the part of a judge that judges programs on the matrix itself on a GPU: correctness, determinism,
/// time, cuSPARSE baselines and quarantine (docs/design.md 5.3). Fails if the pool's cuda runner did not
/// describe its GPU.
Result<std::unique_ptr<DeviceJudge>> makeCudaDeviceJudge(const JudgeServices& services);

/// Returns a GPU's name for records: "NVIDIA H200 (driver 580.159.04)".
std::string gpuName(const GpuInfo& info);

} // namespace sparserl
