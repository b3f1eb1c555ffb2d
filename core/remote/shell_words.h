// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

// ssh joins its words with blanks and gives them to the login shell of the other side. Everything that goes
// there is quoted here and nowhere else.

/// A word for sh, csh or fish that stands for exactly this text, in single quotes. The text must have passed
/// checkRemoteText().
std::string shellQuote(std::string_view text);
/// The words of a command, quoted and joined.
std::string shellLine(const std::vector<std::string>& words);

/// Fails with a sentence where a text cannot be carried through every shell: control characters (a line
/// break ends a command in csh) and backslashes (fish reads them inside quotes). `what` names it.
Status checkRemoteText(std::string_view what, std::string_view text);
/// Fails where `host` is not what ssh takes as a host or an alias: letters, digits and any of "._-@", not
/// beginning with a dash, which ssh would read as an option.
Status checkHostName(std::string_view host);

/// A path for a command of the other side: "~/x" and "x" are below the home folder, where ssh begins; what
/// begins with a dash cannot be taken for an option any more.
std::string remotePath(std::string_view path);

} // namespace sparserl
