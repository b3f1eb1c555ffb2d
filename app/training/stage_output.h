// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "training/work/stage.h"
#include "verdict/event.h"

#include <memory>

namespace sparserl::cli {

/// Prints one line for an event that is a state, an important metric, a checkpoint or a steering command.
void showEvent(const Context& context, std::int64_t step, const Event& event);
/// With --json, prints the `metric` and `state` entries as in the journal.
void emitEntry(const Context& context, const JournalEntry& entry);

/// Runs a stage in the foreground with progress on stderr; returns the exit status (130 after an
/// interruption). With several processes, only process 0 prints.
int runInForeground(Context& context, RunDirectory& run,
                    const std::shared_ptr<ProcessGroup>& processes = std::make_shared<ProcessGroup>());

} // namespace sparserl::cli
