// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

// Parameters that several families share. Other shared parameters are declared next to the functions that use
// them (kernel_text.h, spmm/parameters.h).
FamilyParameter blockParameter();
FamilyParameter streamParameter();
/// If the value is 1, columns have 16 bits, in the storage format `format`.
FamilyParameter narrowParameter(const std::string& format = "csr16");
/// The number of entries whose loads are in flight together. `first` is the value if a program does not
/// specify the parameter.
FamilyParameter batchParameter(std::int64_t first = 1);

/// Sets omitted parameters to the first value of their domain. Fails for parameters that the family does not
/// have.
Result<FamilyParameters> completeParameters(const Family& family, const FamilyParameters& parameters);

} // namespace sparserl
