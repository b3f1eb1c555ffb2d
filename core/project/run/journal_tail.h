// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sparserl {

/// The last `state` event after `from`, found by reading the journal backwards from its end, at most
/// `mostBytes`: the current state of a run, independent of the index. nullopt if there is none, or if `from`
/// belongs to another generation.
std::optional<StateEvent> lastState(const std::filesystem::path& runDirectory, JournalPosition from,
                                    std::int64_t mostBytes = INT64_MAX);

} // namespace sparserl
