// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sparserl {

/// Returns the last `state` event after `from`, which is the current state of a run even if the index is out
/// of date. Reads the journal backwards from its end, at most `mostBytes`. Returns nullopt if it finds none,
/// or if `from` belongs to another generation.
std::optional<StateEvent> lastState(const std::filesystem::path& runDirectory, JournalPosition from,
                                    std::int64_t mostBytes = INT64_MAX);

/// Returns the last share of correct programs (metric::correctRate) that a run has reported for any split.
/// Reads at most the last 8 MiB of the journal. Returns nullopt if it finds none.
std::optional<double> lastCorrectRate(const std::filesystem::path& runDirectory);

} // namespace sparserl
