// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/grammar.h"

#include <string>

namespace sparserl::spmv {

// Productions of the families that sum rows of CSR or csr16.

/// The arrays of the matrix, x and y, as the parameter `index16` says; `rows`: also their number.
void csrArguments(Grammar& g, bool rows);
std::string rowBegin(Grammar& g);
std::string rowEnd(Grammar& g);
/// The sum over entries begin, begin + step, ... of the row, in the variable `sum` that this declares.
void sumOfRow(Grammar& g, const Grammar::Loop& loop);
/// The same with four neighbouring entries a load of each lane: from the last multiple of four before the row
/// on, so that loads are aligned; entries of other rows are loaded but not added.
void sumByVectors(Grammar& g, const std::string& lane, const std::string& step);
/// S2 and S3: `lanes` threads share a row; a full warp needs no width in its shuffles.
void writeVector(Grammar& g);
/// Whether a lane loads four neighbouring entries at once.
const FamilyParameter& vectorParameter();

} // namespace sparserl::spmv
