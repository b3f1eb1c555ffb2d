// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <cstdint>

namespace sparserl::spmm {

// Shared parts of M2, M3 and M5.

/// A group of `across` lanes loads a tile of its row's entries together. Every lane then processes the tile
/// for its own columns.
void writeStaged(Grammar& g, const SpmmWriter::Shape& shape, std::int64_t stage, bool sorted);
/// `first`: latencies before the first tile.
SpmmWork stagedWork(const SpmmProgram& program, double first);

} // namespace sparserl::spmm
