// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <string>

namespace sparserl::spmm {

// Productions of families in which each lane holds sums of several rows of C.

void declareArray(Grammar& g, const SpmmWriter& w, const std::string& size);
/// Opens a loop over the rows of a lane.
void overRows(Grammar& g, const std::string& size);

} // namespace sparserl::spmm
