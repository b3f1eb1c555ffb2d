// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl::spmm {

// Parameters that several SpMM families share.
FamilyParameter acrossParameter();
FamilyParameter vecParameter(const std::vector<std::int64_t>& values);
FamilyParameter lanesParameter();
FamilyParameter unrollParameter();      ///< How often a thread's loop is unrolled.
FamilyParameter innerUnrollParameter(); ///< How often the loop over a tile in shared memory is unrolled.
FamilyParameter batchesParameter();

} // namespace sparserl::spmm
