// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <string>

namespace sparserl::spmm {

// Parts that the families M6, M11, M13 and M20 share, for rows of very different lengths.

SpmmWriter::Entries entriesOf(Grammar& g, const char* column, const char* value);
SpmmWriter::Shape shapeOf(const Grammar& g, std::int64_t lanes);
/// The number of a thread's group in its block: "threadIdx.x / 8" or "threadIdx.x".
std::string groupInBlock(Grammar& g, const SpmmWriter& w);
std::string laneInGroup(Grammar& g, const SpmmWriter& w);
std::string wayOf(Grammar& g, const SpmmWriter& w, const std::string& lane);
std::string sideOf(Grammar& g, const SpmmWriter& w, const std::string& lane);
/// Writes the code of a group of lanes for one short row.
void writeShortRows(Grammar& g, SpmmWriter& w, const std::string& block, const std::string& prefix,
                    bool padded = false);
/// Writes the code of a block for one long row or, with `pieces`, for one piece of the long rows.
void writeLongRows(Grammar& g, SpmmWriter& w, bool pieces);
void shortArguments(Grammar& g);
void longArguments(Grammar& g, bool pieces);

} // namespace sparserl::spmm
