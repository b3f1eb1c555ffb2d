// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl::cli {

/// The names in a list of words. A word may hold several names, separated by commas. Commas inside
/// parentheses belong to a generator. `isWhole`: whether a word is one name, whatever it contains.
std::vector<std::string> splitNames(const std::vector<std::string>& words,
                                    const std::function<bool(const std::string&)>& isWhole);

/// One Error for all wrong names of a list: commands that take several names refuse a list before they start,
/// and name everything in it that is wrong. `errors` must not be empty.
Error allOf(const std::vector<Error>& errors);

} // namespace sparserl::cli
