// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class Option;
}

namespace sparserl::cli {

/// The option takes ids of kernel families, also several with commas between them; another word is wrong
/// usage, told with the id that is near. Gives the option.
CLI::Option* takesFamilies(CLI::Option* option);

} // namespace sparserl::cli
