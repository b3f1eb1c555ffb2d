// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Reads the numbers in a parameter such as evaluate.temperatures ("0.3, 0.5,1"). Fails if a temperature is
/// invalid; the message names `key`.
Result<std::vector<double>> parseTemperatures(std::string_view key, const std::string& text);

} // namespace sparserl
