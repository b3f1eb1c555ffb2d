// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <optional>
#include <string_view>

namespace sparserl::ptx {

/// A readable special register ("%tid.x"), or nullopt: clocks, SM and warp numbers are not allowed.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// True for names reserved by PTX such as "%clock64", allowed or not.
bool isSpecialRegisterName(std::string_view name);

} // namespace sparserl::ptx
