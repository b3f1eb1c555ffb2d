// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <string>

namespace sparserl {

/// First shares of a search's sources from text such as "grid=0.3,edits=0.7"; an empty text names none.
/// `policy`: the search has one, so that `policy` and `refine` are sources, too. Fails with a sentence for an
/// unknown source, for a share that is no number from 0 to 1, and if the shares add up to more than 1 or to
/// 0.
Result<std::map<std::string, double>> parseShares(const std::string& text, bool policy = false);

} // namespace sparserl
