// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/operators/operator_families.h"

namespace sparserl {

OperatorFamily scanFamily();         ///< E7: sums of the elements up to each one, along rows.
OperatorFamily matrixVectorFamily(); ///< E10: the product of a matrix and a vector.

} // namespace sparserl
