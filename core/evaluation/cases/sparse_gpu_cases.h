// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/sparse_gpu_inputs.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"

#include <cstdint>
#include <memory>

namespace sparserl {

/// The cases of one matrix on a GPU: exact values, the same input five times, and timing over a ring of
/// inputs. Values of very different magnitudes, inputs of all kinds, and slightly changed values of the
/// matrix follow. If the program takes factors, the cases include other alpha and beta.
Result<GpuCases> gpuCases(TargetContext& context, const std::shared_ptr<const GpuInputs>& inputs,
                          const CaseRequest& request, bool everyKind, std::uint64_t seed);

} // namespace sparserl
