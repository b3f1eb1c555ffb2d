// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "training/work/stage.h"
#include "verdict/event.h"

#include <memory>

namespace sparserl::cli {

/// What people see of an event: one line for states, metrics of note, checkpoints, steering.
void showEvent(const Context& context, std::int64_t step, const Event& event);
/// With --json, the `metric` and `state` entries as the journal has them.
void emitEntry(const Context& context, const JournalEntry& entry);

/// Runs a stage in the foreground with progress on stderr; returns the exit status (130 after an
/// interruption). Of several processes only process 0 tells what happens.
int runInForeground(Context& context, RunDirectory& run,
                    const std::shared_ptr<ProcessGroup>& processes = std::make_shared<ProcessGroup>());

} // namespace sparserl::cli
