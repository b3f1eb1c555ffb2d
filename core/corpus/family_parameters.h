// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

// Parameters that families share. Those that come with a production stand beside it (kernel_text.h,
// spmm/parameters.h).
FamilyParameter blockParameter();
FamilyParameter streamParameter();
/// 1: columns of 16 bits, in the storage format of this name.
FamilyParameter narrowParameter(const std::string& format = "csr16");
/// Entries whose loads are in flight together; `first` is the value of a program that does not say.
FamilyParameter batchParameter(std::int64_t first = 1);

/// With the first value of their domain for parameters left out. Fails for others than the family's.
Result<FamilyParameters> completeParameters(const Family& family, const FamilyParameters& parameters);

} // namespace sparserl
