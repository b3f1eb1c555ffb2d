// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/locations.h"

namespace sparserl::ptx {

/// Reads the body of a function, from after its opening brace to after the closing one. `index` is the index
/// that the function will have in its module.
Status readBody(TokenReader& reader, Locations& locations, std::size_t index, Function& function);

} // namespace sparserl::ptx
