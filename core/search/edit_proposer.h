// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/proposer.h"

#include <memory>

namespace sparserl {

/// Creates the proposer "edits". Each proposal applies one to three edits (edits.h) to a program of the
/// archive. The shares of the kinds of edits adapt to their rewards.
std::unique_ptr<Proposer> makeEditProposer();

} // namespace sparserl
