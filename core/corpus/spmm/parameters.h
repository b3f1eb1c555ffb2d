// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl::spmm {

// Parameters that families of SpMM share.
FamilyParameter acrossParameter();
FamilyParameter vecParameter(const std::vector<std::int64_t>& values);
FamilyParameter lanesParameter();
FamilyParameter unrollParameter();      ///< Of a thread.
FamilyParameter innerUnrollParameter(); ///< Of a loop over a tile in shared memory.
FamilyParameter batchesParameter();

} // namespace sparserl::spmm
