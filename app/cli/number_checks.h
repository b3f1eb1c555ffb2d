// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sparserl::cli {

/// Accepts finite numbers above 0. CLI11's own check has infinity as its limit, and prints the largest double
/// in full for every refused number.
CLI::Validator positiveNumber();

/// Accepts finite numbers that are 0 or more.
CLI::Validator nonNegativeNumber();

} // namespace sparserl::cli
