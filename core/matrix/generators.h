// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/generate.h"

// The generators that implement matrix/generate.h.
namespace sparserl::generators {

/// Builds the matrix of a generator. May throw std::bad_alloc.
Result<Csr> build(const GeneratorSpec& spec);

} // namespace sparserl::generators
