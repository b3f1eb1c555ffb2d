// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/printable.h"

#include <string>

namespace sparserl {

/// Returns a name from a graph or a task as messages show it: in printable characters, at most 60 of them.
inline std::string shownName(const std::string& name)
{
    constexpr std::size_t most = 60;
    return shortened(printableLine(name), most);
}

} // namespace sparserl
