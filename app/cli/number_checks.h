// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sparserl::cli {

/// Finite numbers above 0. CLI11's own check uses infinity as its limit and prints the largest double in full
/// for every refused number.
CLI::Validator positiveNumber();

/// Finite numbers, 0 or above.
CLI::Validator nonNegativeNumber();

} // namespace sparserl::cli
