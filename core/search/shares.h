// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <string>

namespace sparserl {

/// Parses the initial shares of a search's sources, for example "grid=0.3,edits=0.7". An empty text gives an
/// empty map. With `policy`, the search has a policy, and `policy` and `refine` are sources, too. Fails for
/// an unknown source, a share outside [0, 1], a sum above 1, and if all sources have the share 0.
Result<std::map<std::string, double>> parseShares(const std::string& text, bool policy = false);

} // namespace sparserl
