// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <optional>
#include <string_view>

namespace sparserl::ptx {

/// A special register that may be read ("%tid.x"), or nothing: clocks, SM and warp numbers are not allowed.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// True for names such as "%clock64" that PTX reserves, allowed or not.
bool isSpecialRegisterName(std::string_view name);

} // namespace sparserl::ptx
