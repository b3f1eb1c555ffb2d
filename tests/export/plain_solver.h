// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

namespace sparserl {

/// A conjugate gradient as in a textbook (Hestenes and Stiefel 1952), written apart from the bundle's: the
/// iterations that every column of B needs, for the right-hand sides that examples/cg.cpp takes, in the type
/// of the values.
int plainIterations(const Csr& a, int columns);

Csr withTwiceTheDiagonal(Csr a);

} // namespace sparserl
