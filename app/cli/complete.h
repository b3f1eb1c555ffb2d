// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace sparserl::cli {

/// Prints the names that shell completions offer, one per line. `kind`: one of nameKinds (usage.h). `words`:
/// the words of the command line so far. Names come from the project that --project names, otherwise from the
/// project around the current folder. Only reads files. Omits names that do not fit on a line or that look
/// like options. Prints nothing if there is no project. Returns the exit status.
int completeNames(std::string_view kind, std::span<const char* const> words);

} // namespace sparserl::cli
