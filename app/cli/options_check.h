// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Throws CLI::ConversionError if a whole number is out of range for its option. CLI11 would use the largest
/// number, read "010" as eight, and "-1" as a huge number for an unsigned option. Also throws for real
/// numbers that are not finite, and for empty values of options other than texts.
void checkValues(const CLI::App& app);

} // namespace sparserl::cli
