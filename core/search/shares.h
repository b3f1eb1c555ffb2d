// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <map>
#include <string>

namespace sparserl {

/// First shares of a search's sources from text such as "grid=0.3,edits=0.7"; an empty text names none.
/// `policy`: the search has one, so that it is a source as well. Fails with a sentence for a source that
/// there is not, for what is no share, and where they add up to more than 1 or to nothing.
Result<std::map<std::string, double>> parseShares(const std::string& text, bool policy = false);

} // namespace sparserl
