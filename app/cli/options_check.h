// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Throws CLI::ConversionError where a whole number that was given does not fit its option: CLI11 takes the
/// largest number instead, reads "010" as eight, and "-1" as a huge one where the option is unsigned. The
/// same for real numbers that are not finite, and where a value is empty that is no text for people.
void checkValues(const CLI::App& app);

} // namespace sparserl::cli
