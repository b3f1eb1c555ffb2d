// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/verifier.h"

#include <fmt/format.h>
#include <string>

namespace sparserl {

/// Returns the reason for a stop of the verifier as samples and programs keep it: "line 3: ...".
inline std::string stopWords(const Stop& stop)
{
    return fmt::format("line {}: {}", stop.line, stop.reason);
}

} // namespace sparserl
