// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace sparserl::cli {

/// Prints what completions of shells offer, one name per line: `kind` is one of nameKinds (usage.h), `words`
/// are the words of the command line so far. Names come from the project that --project names, else the one
/// around the current folder. Only reads, and leaves out names that a line cannot hold or that look like
/// options. Where there is no project, prints nothing. Returns the exit status.
int completeNames(std::string_view kind, std::span<const char* const> words);

} // namespace sparserl::cli
