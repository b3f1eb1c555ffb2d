// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sparserl {

/// The last `state` event behind `from`, found by reading the journal backwards from its end, at most
/// `mostBytes` of it: what a run is, however far an index has come. Nothing where there is none, or where
/// `from` is of another generation.
std::optional<StateEvent> lastState(const std::filesystem::path& runDirectory, JournalPosition from,
                                    std::int64_t mostBytes = INT64_MAX);

} // namespace sparserl
