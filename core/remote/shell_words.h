// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

// Quoting of words for other machines: ssh joins the words of a command with spaces and passes them to the
// remote login shell.

/// Puts a text into single quotes such that sh, csh and fish read it as one word. The text must have passed
/// checkRemoteText().
std::string shellQuote(std::string_view text);
/// Quotes the words of a command and joins them with spaces.
std::string shellLine(const std::vector<std::string>& words);

/// Fails if a text cannot be quoted for all shells: if it has control characters (a line break ends a command
/// in csh) or backslashes (fish interprets them inside quotes). `what` names the text in the Error.
Status checkRemoteText(std::string_view what, std::string_view text);
/// Fails unless `host` can be a host name or an alias for ssh. It may contain letters, digits and any of
/// "._-@", and must not begin with a dash, because ssh would read it as an option.
Status checkHostName(std::string_view host);

/// Converts a path for use in a remote command. Both "~/x" and "x" become relative to the home folder, which
/// is the initial directory of ssh. A path with a leading dash is changed so that no command reads it as an
/// option.
std::string remotePath(std::string_view path);

} // namespace sparserl
