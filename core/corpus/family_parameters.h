// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

// Parameters shared by families. The parameter of a production is declared next to it (kernel_text.h,
// spmm/parameters.h).
FamilyParameter blockParameter();
FamilyParameter streamParameter();
/// Value 1: 16-bit columns, in the storage format of this name.
FamilyParameter narrowParameter(const std::string& format = "csr16");
/// Number of entries whose loads are in flight together. `first` is the value of a program that does not
/// specify it.
FamilyParameter batchParameter(std::int64_t first = 1);

/// Sets omitted parameters to the first value of their domain. Fails for parameters that the family does not
/// have.
Result<FamilyParameters> completeParameters(const Family& family, const FamilyParameters& parameters);

} // namespace sparserl
