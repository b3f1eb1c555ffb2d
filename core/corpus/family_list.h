// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/task.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Ids of kernel families from a list such as "S1,S6", for programs of these tasks. Fails for an id that no
/// family of the tasks has, and if none of the ids is of one of the tasks; an empty list stands for all.
Result<std::vector<std::string>> parseFamilies(std::string_view list, const std::vector<Task>& tasks);

} // namespace sparserl
