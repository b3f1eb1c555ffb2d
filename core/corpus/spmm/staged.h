// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <cstdint>

namespace sparserl::spmm {

// What M2, M3 and M5 share.

/// A group of `across` lanes loads a tile of its row's entries together, then every lane walks the tile for
/// its own columns.
void writeStaged(Grammar& g, const SpmmWriter::Shape& shape, std::int64_t stage, bool sorted);
/// How far rows are long enough for a tile to pay, 0 to 1.
double longEnoughToStage(const SpmmPortfolio& p);
std::int64_t stagedUnroll(const SpmmPortfolio& p);

} // namespace sparserl::spmm
