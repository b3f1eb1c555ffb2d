// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A text as one word of a shell command: a file's name, a host.
std::string shellWord(const std::string& text);

/// A command as a sentence prints it, in backticks. Each `{}` of `pattern` is the next of `words`, quoted for
/// the shell: those who paste it run that command and nothing that a name has in it.
std::string shellCommand(std::string_view pattern, const std::vector<std::string>& words);

} // namespace sparserl
