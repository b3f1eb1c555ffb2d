// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/sparse_gpu_inputs.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"

#include <cstdint>
#include <memory>

namespace sparserl {

/// Creates the cases of one matrix on a GPU: exact values, the same input five times, and timing over a ring
/// of inputs. After that, values of very different magnitudes, inputs of all kinds, and slightly changed
/// values of the matrix. If the program takes factors, some cases have alpha and beta other than 1 and 0.
Result<GpuCases> gpuCases(TargetContext& context, const std::shared_ptr<const GpuInputs>& inputs,
                          const CaseRequest& request, bool everyKind, std::uint64_t seed);

} // namespace sparserl
