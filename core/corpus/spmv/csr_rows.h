// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <string>

namespace sparserl::spmv {

// Productions of families that sum rows of CSR or csr16.

/// Adds the arrays of the matrix, x and y, according to the parameter `index16`; with `rows`, also the number
/// of rows.
void csrArguments(Grammar& g, bool rows);
std::string rowBegin(Grammar& g);
std::string rowEnd(Grammar& g);
/// Declares the variable `sum` and computes in it the sum over the entries begin, begin + step, ... of the
/// row.
void sumOfRow(Grammar& g, const Grammar::Loop& loop);
/// The same with loads of four neighbouring entries per lane. For aligned loads, it starts at the last
/// multiple of four that is not after the start of the row. Entries of other rows are loaded but not added.
void sumByVectors(Grammar& g, const std::string& lane, const std::string& step);
/// S2 and S3: `lanes` threads share a row. Shuffles of a full warp need no width.
void writeVector(Grammar& g);
/// The parameter that makes a lane load four neighbouring entries at once.
const FamilyParameter& vectorParameter();

} // namespace sparserl::spmv
