// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <optional>
#include <string>

namespace sparserl::spmm {

// What M14 to M16 share.

/// Padded formats, "ell" or "sell"; neighbouring rows read neighbouring words.
void writePadded(Grammar& g, const std::string& format);
/// Sorted rows in slices, with so many bytes an entry.
std::optional<SpmmWork> slicedWork(const SpmmProgram& program, double entryBytes);

} // namespace sparserl::spmm
