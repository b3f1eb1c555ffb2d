// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Throws CLI::ConversionError if a whole number is out of range for its option. CLI11 by itself would use
/// the largest possible number instead, and would read "010" as eight and, for an unsigned option, "-1" as a
/// huge number. Also throws for real numbers that are not finite, and for empty values of options other than
/// texts.
void checkValues(const CLI::App& app);

} // namespace sparserl::cli
