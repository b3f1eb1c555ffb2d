// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl::spmm {

// Parameters shared by the SpMM families.
FamilyParameter acrossParameter();
FamilyParameter vecParameter(const std::vector<std::int64_t>& values);
FamilyParameter lanesParameter();
FamilyParameter unrollParameter();      ///< Unrolling of a thread's loop.
FamilyParameter innerUnrollParameter(); ///< Unrolling of a loop over a tile in shared memory.
FamilyParameter batchesParameter();

} // namespace sparserl::spmm
