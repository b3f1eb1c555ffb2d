// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "policy/policy/policy.h"
#include "training/work/process_group.h"

#include <cstdint>
#include <optional>

namespace sparserl {

// Forward passes of a model over a whole batch without gradients, `microBatch` rows at a time. Results are
// [N, T]. Several processes share the rows. Each function returns nullopt if any process was interrupted.

/// Computes the log-probability and, with `withEntropy`, the entropy of each token.
std::optional<TokenStatistics> statisticsOf(const Policy& policy, const SequenceBatch& batch,
                                            double temperature, std::int64_t microBatch, bool withEntropy,
                                            const CancelToken& interrupt, ProcessGroup& processes);
/// Computes the critic's value of each token.
std::optional<torch::Tensor> valuesOf(const Critic& critic, const SequenceBatch& batch,
                                      std::int64_t microBatch, const CancelToken& interrupt,
                                      ProcessGroup& processes);

} // namespace sparserl
