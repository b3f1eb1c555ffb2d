// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sparserl::cli {

/// Finite numbers above 0. CLI11's own check takes infinity for what is out of range, and prints the largest
/// double in all its digits for every number that it refuses.
CLI::Validator positiveNumber();

/// Finite numbers from 0 on.
CLI::Validator nonNegativeNumber();

} // namespace sparserl::cli
