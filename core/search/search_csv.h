// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/archive.h"

#include <string>

namespace sparserl {

/// Returns the header of a CSV table of judged programs, which has one line per program in the order of
/// proposals.
std::string searchCsvHeader();
/// Returns the line of a program. `best` is the time of the fastest program so far, including this one, in
/// microseconds, or 0 if no program has been correct yet.
std::string searchCsvLine(const std::string& matrix, const SearchedProgram& program, double best);

} // namespace sparserl
