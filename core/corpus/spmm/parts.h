// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <string>

namespace sparserl::spmm {

// Shared parts of M6, M11, M13 and M20: pieces of rows of very different lengths.

SpmmWriter::Entries entriesOf(Grammar& g, const char* column, const char* value);
SpmmWriter::Shape shapeOf(const Grammar& g, std::int64_t lanes);
/// "threadIdx.x / 8" or "threadIdx.x": the group of this thread in its block.
std::string groupInBlock(Grammar& g, const SpmmWriter& w);
std::string laneInGroup(Grammar& g, const SpmmWriter& w);
std::string wayOf(Grammar& g, const SpmmWriter& w, const std::string& lane);
std::string sideOf(Grammar& g, const SpmmWriter& w, const std::string& lane);
/// The code of a group of lanes for one short row.
void writeShortRows(Grammar& g, SpmmWriter& w, const std::string& block, const std::string& prefix,
                    bool padded = false);
/// The code of a block for one long row, or for one piece of the long rows.
void writeLongRows(Grammar& g, SpmmWriter& w, bool pieces);
void shortArguments(Grammar& g);
void longArguments(Grammar& g, bool pieces);

} // namespace sparserl::spmm
