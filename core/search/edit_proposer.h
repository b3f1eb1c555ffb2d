// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/proposer.h"

#include <memory>

namespace sparserl {

/// "edits": one to three edits (edits.h) of a program of the archive; which kinds, adapts to what pays.
std::unique_ptr<Proposer> makeEditProposer();

} // namespace sparserl
