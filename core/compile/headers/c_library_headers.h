// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/headers/own_headers.h"

namespace sparserl {

/// Returns <stdint.h>, <limits.h>, <math.h> and similar headers, under their C and C++ names.
std::vector<OwnHeader> cLibraryHeaders();

} // namespace sparserl
