// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/headers/own_headers.h"

namespace sparserl {

/// <stdint.h>, <limits.h>, <math.h> and their like, under their names in C and in C++.
std::vector<OwnHeader> cLibraryHeaders();

} // namespace sparserl
