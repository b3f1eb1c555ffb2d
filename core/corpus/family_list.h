// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/task.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Parses a list of kernel family ids, such as "S1,S6", for programs of these tasks. An empty list means all
/// families. Fails for an id that no family of these tasks has, and if the list has no family for one of the
/// tasks.
Result<std::vector<std::string>> parseFamilies(std::string_view list, const std::vector<Task>& tasks);

} // namespace sparserl
