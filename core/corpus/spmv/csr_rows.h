// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <string>

namespace sparserl::spmv {

// Productions of families that add up the rows of CSR or csr16.

/// Adds the arrays of the matrix (CSR or csr16, as the parameter `index16` says), x and y as arguments; if
/// `rows` is true, also the number of rows.
void csrArguments(Grammar& g, bool rows);
std::string rowBegin(Grammar& g);
std::string rowEnd(Grammar& g);
/// Writes code that declares the variable `sum` and adds up the entries begin, begin + step, ... of the row
/// in it.
void sumOfRow(Grammar& g, const Grammar::Loop& loop);
/// The same, but a lane loads four neighbouring entries at once. To align the loads, the code starts at the
/// last multiple of four that is not after the start of the row. It loads entries of other rows but does not
/// add them.
void sumByVectors(Grammar& g, const std::string& lane, const std::string& step);
/// Writes a kernel of S2 or S3, in which `lanes` threads share a row. Shuffles of a full warp need no width.
void writeVector(Grammar& g);
/// The parameter that makes a lane load four neighbouring entries at once.
const FamilyParameter& vectorParameter();

} // namespace sparserl::spmv
