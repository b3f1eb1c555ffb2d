// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/archive.h"

#include <string>

namespace sparserl {

/// A table of judged programs: one line per program, in the order of proposals.
std::string searchCsvHeader();
/// `best`: microseconds of the fastest program so far, including this one; 0: none yet.
std::string searchCsvLine(const std::string& matrix, const SearchedProgram& program, double best);

} // namespace sparserl
