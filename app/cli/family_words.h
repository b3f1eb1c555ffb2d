// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class Option;
}

namespace sparserl::cli {

/// Makes an option accept ids of kernel families, which may be separated by commas. Any other word is an
/// error of usage, and the message suggests the closest id. Returns the option.
CLI::Option* takesFamilies(CLI::Option* option);

} // namespace sparserl::cli
