// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/matrix_words.h"
#include "matrix/target.h"

namespace sparserl::cli {

/// Reads a matrix and returns it as a target: with the imported doubles if the element type is not float32.
/// Shows the progress.
Result<Target> readTarget(const NamedMatrix& source, const TargetVariant& variant, const Context& context);

} // namespace sparserl::cli
