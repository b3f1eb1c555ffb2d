// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <string>

namespace sparserl {

/// Parses initial shares of a search's sources, for example "grid=0.3,edits=0.7"; an empty text names none.
/// `policy`: the search has a policy, so `policy` and `refine` are sources, too. Fails for an unknown source,
/// an invalid share, and a sum that is 0 or above 1.
Result<std::map<std::string, double>> parseShares(const std::string& text, bool policy = false);

} // namespace sparserl
