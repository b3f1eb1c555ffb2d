// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <optional>
#include <string>

namespace sparserl::spmm {

// Parts that the families M14 to M16 share.

/// Writes a kernel for a padded `format`, "ell" or "sell". The threads of neighbouring rows read neighbouring
/// words.
void writePadded(Grammar& g, const std::string& format);
/// Returns the work of a program for slices of sorted rows, with `entryBytes` bytes per entry.
std::optional<SpmmWork> slicedWork(const SpmmProgram& program, double entryBytes);

} // namespace sparserl::spmm
