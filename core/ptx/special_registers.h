// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <optional>
#include <string_view>

namespace sparserl::ptx {

/// Returns the special register of a name ("%tid.x"), or nullopt if programs may not read it: clocks, SM
/// numbers and warp numbers are not allowed.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// Returns whether PTX reserves a name ("%clock64"), no matter whether programs may read the register.
bool isSpecialRegisterName(std::string_view name);

} // namespace sparserl::ptx
