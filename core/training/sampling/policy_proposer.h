// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "matrix/target.h"
#include "search/proposer.h"
#include "training/sampling/generation.h"

#include <functional>
#include <memory>
#include <vector>

namespace sparserl {

/// A policy as a source of a search: `policy`. It writes programs in batches, each batch at the next of its
/// `temperatures` (none: the writer's). The n-th program depends on the writer's seed, the target and n only,
/// so that a search repeats itself and continues where it was left. `progress` gets the share of a batch that
/// is written.
std::unique_ptr<Proposer> makePolicyProposer(std::shared_ptr<const ProgramWriter> writer, Target target,
                                             std::vector<double> temperatures, CancelToken cancel,
                                             std::function<void(double)> progress);

} // namespace sparserl
