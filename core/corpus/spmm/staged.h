// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <cstdint>

namespace sparserl::spmm {

// Parts that the families M2, M3 and M5 share.

/// Writes a kernel in which a group of `across` lanes loads a tile of its row's entries together. Every lane
/// then processes the tile for its own columns. With `sorted`, the longest rows come first.
void writeStaged(Grammar& g, const SpmmWriter::Shape& shape, std::int64_t stage, bool sorted);
/// Returns the work of a program that writeStaged() writes. `first` is the number of latencies before the
/// first tile.
SpmmWork stagedWork(const SpmmProgram& program, double first);

} // namespace sparserl::spmm
