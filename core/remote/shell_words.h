// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

// ssh joins its words with blanks and passes them to the remote login shell. All quoting for the other side
// is done here.

/// Quotes a text for sh, csh and fish in single quotes. The text must have passed checkRemoteText().
std::string shellQuote(std::string_view text);
/// The words of a command, quoted and joined.
std::string shellLine(const std::vector<std::string>& words);

/// Fails if a text cannot pass through every shell: control characters (a line break ends a command in csh)
/// and backslashes (fish interprets them inside quotes). `what` names the text.
Status checkRemoteText(std::string_view what, std::string_view text);
/// Fails unless `host` is valid as a host or alias for ssh: letters, digits and any of "._-@", without a
/// leading dash, which ssh would read as an option.
Status checkHostName(std::string_view host);

/// A path for a remote command: "~/x" and "x" are below the home folder, the initial directory of ssh. A path
/// with a leading dash is changed so that it is not an option.
std::string remotePath(std::string_view path);

} // namespace sparserl
