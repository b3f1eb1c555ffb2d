// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/locations.h"

namespace sparserl::ptx {

/// The body of a function, from behind its opening brace to behind the closing one. `index` is the one that
/// the function will have in its module.
Status readBody(TokenReader& reader, Locations& locations, std::size_t index, Function& function);

} // namespace sparserl::ptx
