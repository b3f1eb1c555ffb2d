// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/proposer.h"

#include <memory>

namespace sparserl {

/// "edits": one to three edits (edits.h) of an archived program. The choice of kinds adapts to their rewards.
std::unique_ptr<Proposer> makeEditProposer();

} // namespace sparserl
