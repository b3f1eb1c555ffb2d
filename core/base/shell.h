// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Quotes a text, such as a file name or a host, as one word of a shell command.
std::string shellWord(const std::string& text);

/// Makes a shell command for a message, in backticks. Each `{}` in `pattern` becomes the next of `words`,
/// quoted for the shell. A pasted command therefore never executes text from a name.
std::string shellCommand(std::string_view pattern, const std::vector<std::string>& words);

} // namespace sparserl
