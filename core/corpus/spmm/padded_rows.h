// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <string>

namespace sparserl::spmm {

// What M14 to M16 share.

/// Padded formats, "ell" or "sell"; neighbouring rows read neighbouring words.
void writePadded(Grammar& g, const std::string& format);
/// What decides for or against padding.
std::string paddingReason(const SpmmPortfolio& p);
/// What sorted rows in slices promise.
double slicesScore(const SpmmPortfolio& p);
/// Rows that are sorted together for them.
std::int64_t sortingWindow(const SpmmPortfolio& p);

} // namespace sparserl::spmm
